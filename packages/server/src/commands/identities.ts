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
      const { configuredProviders } = await import('../accounts/upstream/upstream-sign-ins.ts')
      const { openRemap, remapPlan } = await import('../accounts/upstream/remapped-identities.ts')
      const configured = await load()
      const ids = (await configuredProviders(configured.config)).map((provider) => provider.id)
      if (!ids.includes(id))
        throw new Error(`There is no provider ${plain(id)}. Configured are: ${ids.join(', ') || 'none'}.`)
      await withTrail(configured, async (trail, database) => {
        const plan = await remapPlan(database, id)
        for (const line of linesOf(plan)) console.log(line)
        if (!apply) return console.log('Nothing is changed. Do it with --apply.')
        const end = await openRemap(database, id)
        trail.onEvent({ type: 'remap_opened', provider: id, people: plan.people })
        console.log(
          `Until ${new Date(end).toISOString().slice(0, 10)} a sign-in with another sub moves the link.`,
        )
      })
    },
  })

function linesOf({ people, unknown, doubles }: RemapPlan): string[] {
  return [
    `Users who can be found again by tid and oid: ${people}`,
    ...(unknown === 0
      ? []
      : [`Links without them, of users who have not signed in since both are kept: ${unknown}`]),
    ...doubles.map(
      ([first = '', ...later]) =>
        `Not found, because the user has several accounts: ${plain(first)}, and later ${later.map(plain).join(', ')}. "users remove" ends one.`,
    ),
  ]
}
