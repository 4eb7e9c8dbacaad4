/** The table of the school in the database of the server. */
export interface SchoolTables {
  school_record: SchoolRecordRow
}

export interface SchoolRecordRow {
  area: string
  id: string
  /** The members of the record without its id, as JSON. */
  content: string
  /** 1 if it is public. */
  published: number
  /** The value that must be unique within its area: a slug or a code. */
  unique_value: string | null
  /** All words and numbers of the record in lower case, for searches. */
  words: string
  /** Incremented by every change. */
  revision: number
  added_at: string
}
