"""Texts of the matrix: a German source, an English reference, two outputs, a French one.

All were written for these tests. Scripts and languages are real, so that checks of them have
something to see, and quotes, commas, semicolons, tabs of tables and ampersands occur as they
do in texts.
"""

import metra

# German, reference, first output, second output, French; a blank line between segments.
_TEXT = """
Der Zug nach Hamburg fährt heute von Gleis sieben ab.
The train to Hamburg leaves from platform seven today.
The train to Hamburg departs from platform seven today.
Today the train leaves to Hamburg of track seven.
Le train pour Hambourg part aujourd'hui de la voie sept.

„Wir haben keine Zeit mehr“, sagte die Ministerin.
"We have no more time," said the minister.
"We have no time left," said the minister.
"We do not have any time anymore" the minister said.
« Nous n'avons plus de temps », a dit la ministre.

Die Brücke wurde 1987 gebaut und vor zwei Jahren saniert.
The bridge was built in 1987 and renovated two years ago.
The bridge was built in 1987 and was renovated two years ago.
The bridge became built 1987 and before two years restored.
Le pont a été construit en 1987 et rénové il y a deux ans.

Brot, Käse, Oliven; dazu ein Glas Wein.
Bread, cheese, olives; and a glass of wine.
Bread, cheese, olives; with a glass of wine.
Bread, cheese, olive; to it one glass wine.
Du pain, du fromage, des olives ; et un verre de vin.

Niemand wusste, warum das Licht in der Küche brannte.
Nobody knew why the light was on in the kitchen.
No one knew why the light in the kitchen was on.
Nobody knew why the light burned in the kitchen.
Personne ne savait pourquoi la lumière était allumée dans la cuisine.

Müller & Söhne liefern seit drei Generationen Schrauben.
Müller & Söhne have supplied screws for three generations.
Müller & Söhne has been supplying screws for three generations.
Müller & Söhne deliver since three generations screws.
Müller & Söhne fournit des vis depuis trois générations.

Bitte schalten Sie Ihr Telefon während der Vorstellung aus.
Please switch off your phone during the performance.
Please turn off your phone during the performance.
Please you switch your telephone off during the show.
Veuillez éteindre votre téléphone pendant la représentation.

Der Arzt riet ihr, mehr zu schlafen und weniger zu arbeiten.
The doctor advised her to sleep more and to work less.
The doctor advised her to sleep more and work less.
The doctor counselled her to sleep more and less work.
Le médecin lui a conseillé de dormir plus et de travailler moins.

Im Norden regnet es, im Süden scheint die Sonne.
It is raining in the north, and the sun is shining in the south.
In the north it is raining, in the south the sun is shining.
In the north it rains, in south the sun seems.
Il pleut dans le nord et le soleil brille dans le sud.

Das Paket ist gestern angekommen, aber es war leer.
The parcel arrived yesterday, but it was empty.
The package arrived yesterday, but it was empty.
The packet is arrived yesterday, but it was empty.
Le colis est arrivé hier, mais il était vide.

Kinder unter sechs Jahren zahlen keinen Eintritt.
Children under six years of age do not pay for admission.
Children under the age of six do not pay for admission.
Children under six years pay no entry.
Les enfants de moins de six ans ne paient pas l'entrée.

Mein Bruder spielt seit seiner Kindheit Geige.
My brother has played the violin since his childhood.
My brother has been playing the violin since childhood.
My brother plays since his childhood violin.
Mon frère joue du violon depuis son enfance.

Die Wahl findet am 14. Mai statt.
The election will take place on 14 May.
The election takes place on 14 May.
The choice finds on 14. May instead.
L'élection aura lieu le 14 mai.

Sie öffnete das Fenster und hörte den Fluss rauschen.
She opened the window and heard the rushing of the river.
She opened the window and heard the river rushing.
She opened the window and listened the river rustle.
Elle ouvrit la fenêtre et entendit le bruit de la rivière.

Ohne Wasser können Pflanzen nicht lange überleben.
Without water, plants cannot survive for long.
Plants cannot survive for long without water.
Without water can plants not long survive.
Sans eau, les plantes ne peuvent pas survivre longtemps.

Der Vertrag läuft Ende des Jahres aus.
The contract expires at the end of the year.
The contract expires at the end of the year.
The contract runs out end of the year.
Le contrat expire à la fin de l'année.

Wer zu spät kommt, muss vor der Tür warten.
Anyone who is late has to wait outside the door.
Whoever comes too late has to wait outside the door.
Who comes too late, must wait before the door.
Ceux qui arrivent en retard doivent attendre devant la porte.

Die Forscher fanden in der Höhle Knochen eines Bären.
In the cave, the researchers found the bones of a bear.
The researchers found the bones of a bear in the cave.
The researcher found in the hell bones of a bear.
Les chercheurs ont trouvé les os d'un ours dans la grotte.

Rund 40 % der Haushalte heizen mit Gas.
Around 40% of households use gas for heating.
About 40% of households heat with gas.
Round 40 % of the households heat by gas.
Environ 40 % des foyers se chauffent au gaz.

Am Abend saßen wir lange am Feuer und sangen.
In the evening we sat by the fire for a long time and sang.
In the evening we sat by the fire for a long time and sang songs.
On the evening we sat long at the fire and sang.
Le soir, nous sommes restés longtemps près du feu à chanter.

Das alte Kino am Markt soll abgerissen werden.
The old cinema on the market square is to be torn down.
The old cinema on the market square is to be demolished.
The old cinema at the market should become torn.
Le vieux cinéma de la place du marché doit être démoli.

Seine Antwort war kurz: „Nein.“
His answer was short: "No."
His answer was brief: "No."
His answer was short: "No".
Sa réponse fut brève : « Non. »

Vergessen Sie nicht, den Schlüssel an der Rezeption abzugeben.
Do not forget to hand in the key at reception.
Don't forget to hand in the key at the reception.
You forget not to give the key at the reception.
N'oubliez pas de rendre la clé à la réception.

Nach dem Spiel gratulierten die Verlierer den Siegern.
After the match, the losers congratulated the winners.
After the game, the losers congratulated the winners.
After the play congratulated the losers the winners.
Après le match, les perdants ont félicité les vainqueurs.
"""

SEGMENTS = [block.split("\n") for block in _TEXT.strip().split("\n\n")]
SOURCE, REF, A, B, FRENCH = (list(column) for column in zip(*SEGMENTS, strict=True))
COUNT = len(SOURCE)
#: Four documents of six segments.
DOCS = [f"news-{1 + place // 6}" for place in range(COUNT)]
NUMBERS = [str(number) for number in range(1, COUNT + 1)]
#: An order in which no segment is where it was.
SHUFFLE = [(place * 7 + 3) % COUNT for place in range(COUNT)]
#: The order in which programs sort 1 to 24 as texts: 1, 10, 11, …, 2, 20, …
AS_TEXT = sorted(range(COUNT), key=lambda place: NUMBERS[place])


def bleu(output: list[str], reference: list[str] = REF) -> float:
    """Compute the truth: BLEU of texts in memory."""
    return metra.score(output, [reference], "bleu").score


def reorder(values: list, order: list[int]) -> list:
    """Put values into another order."""
    return [values[place] for place in order]
