// The page's texts, which the server put there in the reader's language.

const texts = JSON.parse(document.getElementById("strings").textContent);

export const language = document.documentElement.lang;

export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replaceAll(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
