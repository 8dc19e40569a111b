// @ts-check
// A place where files are dropped, or chosen by a button.

import { el, freshId } from "./elements.js";

/**
 * Return a place for files; `take` gets those that fit, `refuse` a sentence about those that do not.
 * @param {{ label: string, hint?: string, accept?: string[], most?: number, multiple?: boolean,
 *   take: (files: File[]) => void, refuse: (sentence: string) => void }} options
 *   `accept` are endings such as .tsv, `most` is the number of bytes of a file
 */
export function makeUpload({ label, hint, accept = [], most = Infinity, multiple = false, take, refuse }) {
  const id = freshId("upload");
  const input = el("input", { type: "file", id, accept: accept.join(",") || null, multiple });
  input.addEventListener("change", () => {
    receive([...(input.files ?? [])]);
    // The same file may be chosen again.
    input.value = "";
  });
  const place = el("div", { class: "upload" }, el("label", { for: id }, label), input, hint ? el("p", { class: "note" }, hint) : null);
  let depth = 0;
  /** @param {number} change */
  const hover = (change) => place.classList.toggle("over", (depth = change && depth + change) > 0);
  place.addEventListener("dragenter", () => hover(1));
  place.addEventListener("dragleave", () => hover(-1));
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    hover(0);
    receive([...(event.dataTransfer?.files ?? [])]);
  });

  /** @param {File[]} files */
  function receive(files) {
    const problem = findProblem(files, { accept, most, multiple });
    if (problem) refuse(problem);
    else if (files.length) take(files);
  }
  return place;
}

/**
 * Return why files are not taken, or null.
 * @param {{ name: string, size: number }[]} files
 * @param {{ accept: string[], most: number, multiple: boolean }} rules
 */
export function findProblem(files, { accept, most, multiple }) {
  if (files.length > 1 && !multiple) return `${files.length} files were dropped; expected one.`;
  for (const { name, size } of files) {
    const fits = accept.some((ending) => name.toLowerCase().endsWith(ending));
    if (accept.length && !fits) return `${name} is of another kind; expected ${accept.join(", ")}.`;
    if (size > most) return `${name} has ${size.toLocaleString("en")} bytes; at most ${most.toLocaleString("en")} are accepted.`;
  }
  return null;
}
