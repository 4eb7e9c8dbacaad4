import type { Rows } from '../database/database.ts'

/** Deletes the attempts of a removed account. They are no evidence, so they do not wait until they expire. */
export async function removeAttempts(rows: Rows, subject: string): Promise<void> {
  const own = rows.selectFrom('attempt_steps').select('reference').where('subject', '=', subject)
  await rows.deleteFrom('attempt_steps').where('reference', 'in', own).execute()
}
