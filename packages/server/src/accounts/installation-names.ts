import type { InstallationNames } from '@grantkit/pages/connected-apps'
import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import { isActive } from './accounts.ts'

/** The names that users give to the installations of their apps, as rows. @throws OAuthError `temporarily_unavailable` */
export function installationNames(database: Database): InstallationNames {
  return errorsAs503<InstallationNames>({
    async of(subject, installations) {
      if (installations.length === 0) return new Map()
      const rows = database.selectFrom('installation_name').select(['installation', 'name'])
      const ofSubject = rows.where('account', '=', subject).where('installation', 'in', installations)
      return new Map((await ofSubject.execute()).map(({ installation, name }) => [installation, name]))
    },
    async give(subject, installation, name) {
      await database.transaction().execute(async (rows) => {
        // A removal of the account at the same time would not see the name.
        if (!(await isActive(rows, subject))) return
        await rows
          .insertInto('installation_name')
          .values({ account: subject, installation, name })
          .onConflict((row) => row.columns(['account', 'installation']).doUpdateSet({ name }))
          .execute()
      })
    },
    async forget(subject, installation) {
      await database
        .deleteFrom('installation_name')
        .where('account', '=', subject)
        .where('installation', '=', installation)
        .execute()
    },
  })
}
