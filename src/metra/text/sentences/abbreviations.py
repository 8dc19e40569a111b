"""Abbreviations and frequent first words of sentences, by language.

A full stop after an abbreviation need not end a sentence. Three kinds behave differently:
some stand before a name and never end a sentence (Dr.), some are abbreviations only before a
number (No. 5), and some may end a sentence (Inc.): they do so if the next word is one that
often begins a sentence. The lists are in lower case, without the last full stop.
"""

from functools import lru_cache
from typing import NamedTuple


class LanguageRules(NamedTuple):
    """What is known about full stops in a language."""

    #: Abbreviations that never end a sentence.
    never_final: frozenset[str] = frozenset()
    #: Abbreviations where a number follows, other words elsewhere.
    before_number: frozenset[str] = frozenset()
    #: Abbreviations that may end a sentence.
    maybe_final: frozenset[str] = frozenset()
    #: Words that often begin a sentence, and seldom continue one with a capital.
    first_words: frozenset[str] = frozenset()
    #: Whether a full stop makes an ordinal number: der 3. Oktober.
    has_ordinals: bool = False


# Languages in which a full stop after a number makes an ordinal.
_ORDINALS = "cs da de et fi hr hu is lb lv nb nn no pl sk sl sr bs tr"

# Titles that stand in texts of all languages, and what else is known if none is given.
_TITLES = "dr prof mr mrs ms st"
_SHARED = "jr vs gen col capt sgt lt dipl ing mag ph.d m.sc b.sc"

_LIST_ENDS = """
etc usw u.s.w itd itp atd apod atď ipd stb jne jms osv enz ecc utt u.tml ir.t.t t.t
т.д т.п и.т.н итд т.б κ.λπ κλπ κ.τ.λ ș.a.m.d ş.a.m.d vb
"""
#: Ends of lists in all languages: the next sentence begins if a capital follows.
LIST_ENDS = frozenset(_LIST_ENDS.split())

_NEVER_FINAL = {
    "en": "mr mrs ms messrs mx dr prof rev hon fr gen col maj capt cpt cmdr lt sgt "
    "cpl pvt adm gov sen rep pres supt det insp amb st mt vs viz cf e.g i.e ca "
    "approx est ed eds jan feb mar apr jun jul aug sept sep oct nov dec mon tue "
    "tues wed thu thurs fri u.s.s",
    "de": "dr prof hr fr dipl ing mag habil geb gest verh bzw ca z.b d.h u.a u.ä o.ä "
    "o.g s.o s.u i.d.r i.a v.a m.e z.t z.zt vgl evtl ggf inkl exkl einschl zzgl "
    "bsp sog gem lt st abs tel str dt engl frz lat griech ital span ehem kath "
    "evang ev röm phil med jur rer nat pol jh mind max min allg bes betr bez "
    "div entspr versch wg chr v.chr n.chr jan febr feb mär apr jun jul aug sept "
    "okt nov dez geh vors",
    "fr": "m mm mme mmes mlle mlles me mgr dr pr prof st ste sts cf env p.ex c.-à-d "
    "c.à.d ex éd éds fig vol chap al av apr bd boul janv févr avr juil sept oct "
    "nov déc tél fém masc gén col cap lt sgt cdt ing hab",
    "es": "sr sra sres sras srta d dª dña dr dra dres prof profa lic ing arq gral "
    "cnel cap tte cmdte sto sta fr mons ud uds vd vds ee.uu aa.vv cf p.ej p.e "
    "vs av avda pza núm ed eds art fig vol pág págs tel aprox máx mín admón ej "
    "excmo excma ilmo ilma",
    "pt": "sr sra sres sras srta d dr dra drs prof profa eng arq gen cel cap ten sto "
    "sta exmo exma v.exa v.ex p.ex cf av r ed eds art fig vol pág págs tel "
    "aprox máx mín núm séc",
    "it": "sig sigg sig.ra sig.na sig.re dott dott.ssa dr prof prof.ssa avv ing arch "
    "geom rag on sen gen col cap ten mons don s ss p.es ad.es es cfr cf vs ca "
    "ed art fig vol pag pagg tel max min lett v.le p.za",
    "nl": "dhr mevr mw dr drs ir ing prof mr bc ds st jr sr gen kol kapt lt bijv bv "
    "d.w.z o.a m.b.t i.v.m t.a.v m.a.w n.a.v t.o.v t.g.v a.u.b ca resp evt incl "
    "excl vgl zgn nl tel blz afb fig vol art max min",
    "da": "hr fr dr prof cand stud kgl sct skt bl.a f.eks d.v.s dvs mht mhp vedr ca "
    "evt inkl ekskl jf pga ift mvh nr tlf st kap art",
    "sv": "hr fr dr prof doc kand t.ex bl.a d.v.s dvs s.k p.g.a fr.o.m t.o.m m.fl ca "
    "resp inkl exkl jfr kl tel st kap",
    "nb": "hr fr dr prof stud bl.a f.eks d.v.s dvs mht pga ca evt inkl ekskl jf jfr "
    "kl tlf st kap nr",
    "fi": "hra rva nti tri dr prof esim mm ns nk ks vrt n ekr jkr puh s synt kuol ent "
    "alk os toim mrd milj",
    "et": "hr pr prl dr prof nt näit s.o s.t nn nim vrd vt lk tel u ca mag dots aka "
    "kod",
    "lv": "k.gs kdze dr prof t.i t.s t.sk piem sal skat lpp plkst tālr apm ģen",
    "lt": "p dr prof doc pvz t.y vad žr plg psl tel gyd inž gen kun šv g pr m d val "
    "mln mlrd tūkst nr vid",
    "pl": "p pp dr hab prof mgr inż lek doc ks abp bp o s św gen płk ppłk mjr kpt por "
    "ppor ul al pl os woj np m.in tzn tzw zob ok ww wg im ur zm art ust pkt rys "
    "str tel godz pol ang niem fr ros łac",
    "cs": "p pí sl dr mudr judr paeddr phdr rndr ing arch mgr bc prof doc csc gen plk "
    "pplk mjr kpt npor por sv tzv tzn např mj popř resp cca ca srov viz tj "
    "př.n.l ul nám tř čp tel obr str kap odst zák odd angl něm lat fr tis mil "
    "mld",
    "sk": "p dr mudr judr phdr rndr ing arch mgr bc prof doc csc gen plk pplk mjr kpt "
    "sv tzv tzn napr resp cca porov t.j pred.n.l ul nám č tel obr str kap ods "
    "zák angl nem lat tis mil mld",
    "sl": "g ga gdč dr prof mag dipl inž ing doc sv gen polk npr t.i tj oz prim gl ur "
    "ul tel str sl pribl angl nem lat",
    "hr": "g gđa gđica dr prof mr mag dipl ing doc sv gen npr tzv tj odn usp ul br "
    "tel str sl oko engl njem lat čl st",
    "sr": "г гђа др проф мр маг дипл инж доц св ген нпр тзв тј одн ул бр тел стр сл "
    "чл ст g gđa dr prof mr mag dipl inž doc sv gen npr tzv tj odn ul br tel "
    "str sl čl st",
    "hu": "dr prof ifj id özv ún kb pl ill vö lásd l ld tel u krt szt gr br hg mrd",
    "ro": "dl dna d-na d-l d-lui dlui d-nei d-ra dr prof ing arh av ec acad gen col "
    "lt mr cpt sf ș.a ş.a de.ex ex cca cf str bd nr pag fig vol art alin jud "
    "tel lit",
    "bg": "г г-н г-жа г-ца д-р проф доц инж арх ген полк кап св т.е т.нар напр вж срв "
    "ул бул гр с обл общ тел стр фиг ок хил",
    "ru": "г-н г-жа гр проф доц акад инж канд докт св т.е т.н т.к напр ср см ул пр "
    "просп пер пл д кв корп стр обл р-н пос дер тел рис табл изд ред англ нем "
    "фр лат итал греч яп кит ок янв февр апр авг сент окт нояб дек ген полк "
    "подполк кап лейт тов о-в",
    "uk": "п др проф доц акад інж канд ім св т.б т.зв напр пор див вул просп пров пл "
    "буд кв корп обл р-н смт тел рис табл вид ред англ нім фр лат італ грец яп "
    "бл січ лют бер квіт трав черв лип серп вер жовт груд ген полк",
    "be": "сп др праф дац акад інж ім св г.зн напр гл вул пл вобл р-н тэл мал табл "
    "выд рэд англ ням фр лац",
    "mk": "г г-ѓа г-ца др проф доц инж св ген т.е т.н на.пр пр ул бул тел стр сл чл ст",
    "el": "κ κα κος κκ δρ καθ αγ στρ συντ λοχ π.χ δηλ βλ πρβλ ο.π λ.χ τηλ οδ σελ κεφ "
    "εικ εκ χιλ δισ τρισ αρ περ",
    "tr": "dr prof doç yrd av mim müh gen alb bnb yzb org tuğg hz bkz örn sn cad sok "
    "mah no tel yy çev haz ank ist vd alm ing fr yun lat ort",
    "kk": "проф акад доц ген полк көш даң т.ғ.к мыс тел обл ауд қ",
    "ca": "sr sra srs srta dr dra prof gral cap sant sta st av pl ctra núm pàg p.ex "
    "cf aprox tel ed art fig vol",
    "hi": "डॉ श्री श्रीमती सु प्रो पं रु रू कि.मी मि मो सं पृ",
    "ne": "डा प्रा श्री पं रु कि.मी सं पृ ई वि.सं",
    "gu": "ડો ડૉ શ્રી પ્રો રૂ કિ.મી સં પૃ",
    "mr": "डॉ श्री प्रा रु कि.मी पं सं पृ",
    "bn": "ড ডা মো প্রফ অধ্যা কি.মি মি রু",
    "ta": "திரு டாக்டர் பேரா ரூ கி.மீ",
    "si": "ආචාර්ය මහාචාර්ය රු කි.මී",
    "ar": "د أ م ص ت ج.م ق.م هـ",
    "fa": "د ص ج ق.م ه.ش",
    "he": "עמ",
}

_BEFORE_NUMBER = {
    "en": "no nos p pp vol vols fig figs art sec ch chap para par pt eq ref tel ext",
    "de": "nr art s kap bd abb tab aufl hrsg ziff rn az",
    "fr": "n no nº p pp t vol art",
    "es": "no n nº p pp t vol",
    "pt": "no n nº p pp t vol",
    "it": "n nº p pp vol t",
    "nl": "nr nrs p pp dl",
    "da": "nr s",
    "sv": "nr s sid",
    "nb": "nr s",
    "fi": "n:o nro s",
    "et": "nr lk",
    "pl": "nr s t r",
    "cs": "č s r roč sv",
    "sk": "č s r roč",
    "hr": "br s str",
    "sl": "št str",
    "hu": "sz o",
    "ro": "nr p pag vol",
    "bg": "№ стр т",
    "ru": "№ с т п ч гл ст",
    "uk": "№ с т п ч гл ст",
    "el": "αρ σ τ",
    "tr": "no s",
}

_MAYBE_FINAL = {
    "en": "inc ltd corp co llc plc bros jr sr a.m p.m u.s u.k u.n e.u d.c b.c a.d c.e "
    "b.c.e esq ph.d m.d b.a m.a al ave blvd rd sq dept univ assn ft",
    "de": "ff f co inc ltd u.s dgl ders u.a.m jr sr",
    "fr": "inc co ltd apr.j.-c av.j.-c j.-c n.b",
    "es": "s.a s.l cía a.c d.c inc ltd a.m p.m",
    "pt": "s.a ltda cia a.c d.c a.m p.m inc",
    "it": "s.p.a s.r.l a.c d.c inc",
    "nl": "b.v n.v inc jl e.d e.a",
    "da": "m.v mv o.l m.fl a/s",
    "sv": "m.m o.d mfl",
    "nb": "m.m o.l m.fl",
    "fi": "ym yms tms oy",
    "et": "jt vm",
    "lv": "u.c",
    "lt": "pan kt",
    "pl": "r w tys n.e p.n.e",
    "cs": "aj n.l spol s.r.o a.s r.o",
    "sk": "a.i n.l spol s.r.o a.s",
    "sl": "d.o.o d.d",
    "hr": "i.sl d.o.o d.d god",
    "sr": "и.сл д.о.о год d.o.o god",
    "hu": "kft rt zrt",
    "ro": "s.a s.r.l",
    "bg": "и.др т.н год лв",
    "ru": "др проч гг г вв в им тыс млн млрд трлн руб коп долл чел",
    "uk": "ін рр р ст тис млн млрд трлн грн коп дол чол",
    "be": "інш гг г ст тыс млн млрд руб кап чал",
    "el": "κ.ά μ.χ π.χρ α.ε",
    "tr": "vs m.ö m.s a.ş ltd şti",
    "kk": "ж жж т.с.с млн млрд тг",
    "ca": "s.a s.l a.c d.c",
}

_FIRST_WORDS = {
    "en": "the a an this that these those it its he she they we you i his her their "
    "our my there here in on at by for from with as if when while after before "
    "since although but and so however meanwhile according what who why how "
    "where which some many most all both each no not yes then now",
    "de": "der die das ein eine einer eines dieser diese dieses er sie es wir ihr ich "
    "man sein seine ihre unser in im am an auf bei mit nach von vor zu zum zur "
    "für durch aus als wenn weil während obwohl aber und doch so auch denn dann "
    "da dort hier heute nun jetzt was wer wie wo warum alle viele einige kein "
    "keine nicht ja nein",
    "fr": "le la les un une des ce cet cette ces il elle ils elles nous vous je on "
    "son sa ses leur leurs mon notre dans en sur à au aux par pour avec sans "
    "selon après avant depuis lorsque quand si mais et or donc car ainsi "
    "cependant toutefois que qui où comment pourquoi tous toutes plusieurs "
    "certains non oui",
    "es": "el la los las un una unos unas este esta estos estas ese esa eso esto él "
    "ella ellos ellas nosotros yo usted su sus nuestro en de a al por para con "
    "sin según tras desde cuando si pero y aunque mientras además también así "
    "que quién qué cómo dónde todos muchos algunos no sí",
    "pt": "o a os as um uma este esta estes estas esse essa isso isto ele ela eles "
    "elas nós eu seu sua em no na de do da por para com sem segundo após desde "
    "quando se mas e embora também assim que quem como onde todos muitos alguns "
    "não sim",
    "it": "il lo la i gli le un uno una questo questa questi quello quella egli lui "
    "lei loro noi io suo sua in nel nella di del della a al da dal per con "
    "senza secondo dopo prima quando se ma e anche così che chi cosa come dove "
    "tutti molti alcuni non sì no",
    "nl": "de het een dit dat deze die hij zij ze wij we ik u je zijn haar hun ons in "
    "op aan bij met na van voor door uit als wanneer terwijl maar en dus ook "
    "toch toen nu daar hier wat wie hoe waar waarom alle veel niet geen ja nee",
    "cs": "ten ta to ti tento tato toto on ona ono oni my vy já jeho její jejich v ve "
    "na po před za s se z ze od do pro podle když pokud ale a i však také proto "
    "tak co kdo jak kde proč všichni mnoho ne ano dnes nyní",
    "sk": "ten tá to tí tento táto toto on ona ono oni my vy ja jeho jej ich v vo na "
    "po pred za s so z zo od do pre podľa keď ak ale a aj však tiež preto tak "
    "čo kto ako kde prečo nie áno",
    "pl": "ten ta to ci te on ona ono oni one my wy ja jego jej ich w we na po przed "
    "za z ze od do dla przez według gdy jeśli ale a i jednak także dlatego tak "
    "co kto jak gdzie dlaczego wszyscy wiele nie",
    "ru": "он она оно они мы вы я это этот эта эти тот та те его её их в во на по "
    "перед за с со из от до для при после когда если но а и однако также "
    "поэтому так что кто как где почему все многие некоторые не нет да сейчас "
    "сегодня",
    "uk": "він вона воно вони ми ви я це цей ця ці той та те його її їх у в на по "
    "перед за з із від до для при після коли якщо але а і й проте також тому "
    "так що хто як де чому всі не ні",
    "bg": "той тя то те ние вие аз това този тази тези в във на по пред за с със от "
    "до при след когато ако но а и обаче също така какво кой как къде защо "
    "всички не да",
    "el": "ο η το οι τα ένας μια ένα αυτός αυτή αυτό αυτοί εμείς εσείς εγώ στο στη "
    "στον στην στα από με για μετά πριν όταν αν αλλά και όμως επίσης έτσι τι "
    "ποιος πώς πού γιατί όλοι δεν",
    "da": "den det de en et denne dette disse han hun vi jeg man hans hendes i på ved "
    "med efter fra for til om som når hvis men og så også da nu her der hvad "
    "hvem hvor alle ikke",
    "sv": "den det de en ett denna detta dessa han hon vi jag man hans hennes i på "
    "vid med efter från för till om som när men och så också då nu här där vad "
    "vem hur var alla inte",
    "nb": "den det de en et denne dette disse han hun vi jeg man hans hennes i på ved "
    "med etter fra for til om som når hvis men og så også da nå her der hva "
    "hvem hvor alle ikke",
    "fi": "se ne tämä tuo nämä hän he me te minä kun jos mutta ja myös niin nyt "
    "siellä täällä mitä kuka miten missä miksi kaikki ei",
    "et": "see need tema ta nad me te ma kui aga ja ka nii nüüd seal siin mis kes "
    "kuidas kus miks kõik ei",
    "hu": "a az ez egy ő ők mi ti én ha amikor de és is így most ott itt ki hogyan "
    "hol miért minden nem igen",
    "ro": "el ea ei ele noi voi eu acest această acești aceste un o în pe la de cu "
    "din pentru după când dacă dar și iar însă astfel ce cine cum unde toți "
    "mulți nu da",
    "lt": "jis ji jie jos mes jūs aš šis ši tai tas ta kai jei bet ir o taip dabar "
    "ten čia kas kaip kur kodėl visi ne",
    "lv": "viņš viņa viņi mēs jūs es šis šī tas tā kad ja bet un arī tagad tur šeit "
    "kas kā kur kāpēc visi nē",
    "tr": "bu şu o bunlar onlar biz siz ben bir ama ve ancak fakat eğer ne kim nasıl "
    "nerede neden hepsi hayır evet",
    "kk": "бұл ол олар біз сіз мен осы сол бірақ және егер ал не кім қалай қайда неге "
    "барлық",
}
# Languages that take the first words, or all lists, of a neighbour.
_NEIGHBOURS = {"be": "ru", "mk": "bg", "ca": "es", "no": "nb", "nn": "nb", "gl": "pt"}
_SAME_RULES = {"no": "nb", "nn": "nb", "gl": "pt", "bs": "hr", "lb": "de", "ur": "fa"}

#: Languages with a list of abbreviations.
LANGUAGES = tuple(sorted(_NEVER_FINAL))


@lru_cache(maxsize=128)
def find_rules(lang: str) -> LanguageRules:
    """Return what is known about a language; for one that is not listed, what many share.

    >>> "bzw" in find_rules("de-AT").never_final, find_rules("de").has_ordinals
    (True, True)
    """
    code = lang.replace("_", "-").partition("-")[0].lower()
    rules = _SAME_RULES.get(code, code)
    first_words = _FIRST_WORDS.get(_NEIGHBOURS.get(code, rules), "")
    return LanguageRules(
        frozenset(f"{_TITLES} {_NEVER_FINAL.get(rules, _SHARED)}".split()),
        frozenset(_BEFORE_NUMBER.get(rules, "").split()),
        frozenset(_MAYBE_FINAL.get(rules, "etc inc ltd").split()),
        frozenset(first_words.split()),
        has_ordinals=code in _ORDINALS.split(),
    )
