/** The types of the kit's modules, for `tsc --noEmit`; browsers never load this file. */

export type Child = Node | string | number | null | undefined | Child[];

export type Attributes = Record<string, any>;

/** A column of a windowed table: "name", "num" and "wide" have a width of their own. */
export interface TableColumn {
  title: string;
  kind?: string;
  /** What the table is sorted by if the heading is pressed. */
  key?: string;
}

type Options = [value: string, text: string][];

export type Filter =
  | { kind: "select"; key: string; label: string; options: Options | (() => Options); class?: string }
  | { kind: "search"; key: string; label: string; placeholder?: string }
  | { kind: "pills"; key: string; label: string; options: Options }
  | { kind: "boxes"; key: string; label: string; options: Options };

export type FilterValues = Record<string, any>;
