// The page's texts, which the server put there in the reader's language.

const texts = JSON.parse(document.getElementById("strings").textContent);

export const language = document.documentElement.lang;

// Words of a text within a sentence of the page: in its quotation marks, and apart from its direction.
export const quoted = (text) => t("page.quoted", { text: `\u2068${text}\u2069` });

export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replaceAll(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
