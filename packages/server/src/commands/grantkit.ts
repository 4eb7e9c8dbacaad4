import { defineCommand } from 'citty'
import type { LoadService } from '../configured-service.ts'
import { addClient } from './add-client.ts'
import { afterRestore } from './after-restore.ts'
import { check } from './check.ts'
import { clients } from './clients.ts'
import { doctor } from './doctor.ts'
import { grants } from './grants.ts'
import { init } from './init.ts'
import { keys } from './keys.ts'
import { migrate } from './migrate.ts'
import { overview } from './overview.ts'
import { personalTokens } from './personal-tokens.ts'
import { start } from './start.ts'
import { trail } from './trail.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'
import { why } from './why.ts'

/** The program `grantkit`. */
export const grantkit = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'An OAuth 2.0 and OpenID Connect authorization server. --config <file> names its configuration',
    },
    subCommands: {
      init,
      check: check(load),
      start: start(load),
      migrate: migrate(load),
      'after-restore': afterRestore(load),
      clients: clients(load, { add: addClient(load) }),
      users: users(load),
      grants: grants(load),
      'personal-tokens': personalTokens(load),
      keys: keys(load),
      webhooks: webhooks(load),
      trail: trail(load),
      why: why(load),
      doctor: doctor(load),
      overview: overview(load),
    },
  })
