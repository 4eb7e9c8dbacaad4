import { defineCommand } from 'citty'
import type { RemapPlan } from '../accounts/upstream/remapped-identities.ts'
import type { LoadService } from '../definition.ts'
import { plain } from './terminal.ts'
import { withTrail } from './with-service.ts'

/** Manages the links between accounts and users of providers. */
export const identities = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Manages the links between accounts and users of providers' },
    subCommands: { remap: remap(load) },
  })

const remap = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'Finds users of Microsoft again, by tid and oid, after a new app registration. Without --apply it only says what it would do',
    },
    args: {
      provider: { type: 'positional', required: true, description: 'the id of the provider' },
      apply: { type: 'boolean', description: 'does it: for 30 days a sign-in moves the link of its user' },
    },
    run: async ({ args: { provider: id, apply = false } }) => {
      const { isMicrosoft } = await import('../accounts/upstream/address.ts')
      const { configuredProviders } = await import('../accounts/upstream/upstream-sign-ins.ts')
      const { openRemap, remapPlan } = await import('../accounts/upstream/remapped-identities.ts')
      const configured = await load()
      const providers = await configuredProviders(configured.config)
      const provider = providers.find((each) => each.id === id)
      if (provider === undefined) {
        const ids = providers.map((each) => each.id).join(', ')
        throw new Error(`There is no provider ${plain(id)}. Configured are: ${ids || 'none'}.`)
      }
      if (!isMicrosoft(new URL(provider.issuer).href))
        throw new Error(
          `${id} is not Microsoft: its users have no tid and oid to find them by. Nothing is changed.`,
        )
      await withTrail(configured, async (trail, database) => {
        const plan = await remapPlan(database, id)
        for (const line of linesOf(plan)) console.log(line)
        if (!apply) return console.log('Nothing was changed. Let these users be found with --apply.')
        const end = await openRemap(database, id)
        trail.onEvent({ type: 'remap_opened', provider: id, people: plan.people })
        const day = new Date(end).toISOString().slice(0, 10)
        console.log(`Until ${day} the next sign-in of each of these users leads to the account of before.`)
      })
    },
  })

function linesOf({ people, unknown, doubles }: RemapPlan): string[] {
  return [
    `Users who can be found again: ${people}`,
    ...(unknown === 0
      ? []
      : [`Users who cannot, because they have not signed in since their tid and oid are kept: ${unknown}`]),
    ...doubles.map(
      ([first = '', ...later]) =>
        `A user who cannot, because of several accounts: ${plain(first)}, and later ${later.map(plain).join(', ')}. Remove all but one with "grantkit users remove <id>".`,
    ),
  ]
}
