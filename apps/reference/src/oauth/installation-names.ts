import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'

/** What users call the installations of their apps. @throws OAuthError `temporarily_unavailable` */
export interface InstallationNames {
  /** The names that a user gave, by installation. */
  of(subject: string): Promise<ReadonlyMap<string, string>>
  give(subject: string, installation: string, name: string): Promise<void>
  forget(subject: string, installations: readonly string[]): Promise<void>
}

/** Rows of one statement. */
const STEP = 500

export function installationNames(database: Database): InstallationNames {
  return errorsAs503<InstallationNames>({
    async of(subject) {
      const rows = database.selectFrom('installation_name').select(['installation', 'name'])
      const found = await rows.where('account', '=', subject).execute()
      return new Map(found.map(({ installation, name }) => [installation, name]))
    },
    async give(subject, installation, name) {
      await database
        .insertInto('installation_name')
        .values({ account: subject, installation, name })
        .onConflict((row) => row.columns(['account', 'installation']).doUpdateSet({ name }))
        .execute()
    },
    async forget(subject, installations) {
      for (let start = 0; start < installations.length; start += STEP)
        await database
          .deleteFrom('installation_name')
          .where('account', '=', subject)
          .where('installation', 'in', installations.slice(start, start + STEP))
          .execute()
    },
  })
}
