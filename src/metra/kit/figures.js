// @ts-check
// Numbers and texts as a page shows them.

/**
 * Return a number with a real minus, a dash if it is missing.
 * @param {number | null | undefined} value
 */
export function formatNumber(value, digits = 2) {
  return isMissing(value) ? "–" : value.toFixed(digits).replace("-", "−");
}

/**
 * Return a difference with its sign.
 * @param {number | null | undefined} value
 */
export function formatDifference(value, digits = 2) {
  if (isMissing(value)) return "–";
  const text = value.toFixed(digits);
  if (Number(text) === 0) return text.replace("-", "");
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

/**
 * Return a count with its noun.
 * @param {number} count
 * @param {string} noun in the singular
 */
export const formatCount = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Replace characters that a browser would drop or obey by a sign that can be seen.
 * @param {string} text
 */
export const replaceInvisible = (text) =>
  text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g, "\ufffd");

/**
 * Scores are kept in typed arrays, where a missing one is NaN.
 * @param {number | null | undefined} value
 * @returns {value is null | undefined}
 */
export const isMissing = (value) => value === null || value === undefined || Number.isNaN(value);
