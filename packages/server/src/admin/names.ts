import { html } from '@grantkit/pages'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { Markup, Site } from '../http/page.ts'
import type { OperatorClients } from '../operator/clients.ts'
import { addressOf } from './admin-page.ts'

/** Links to users and clients, by their names. */
export interface Names {
  user(id: string): Markup
  client(id: string): Markup
}

export interface NameSources {
  readonly site: Site
  readonly directory: Pick<AccountDirectory, 'find'>
  readonly operator: { readonly clients: Pick<OperatorClients, 'find'> }
}

/** An entry of the audit trail, or something else that names a user and a client. */
interface Naming {
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
  readonly actor?: unknown
}

/** Looks up the users and clients of these entries, each once. */
export async function namesIn(sources: NameSources, entries: readonly Naming[]): Promise<Names> {
  const { site, directory, operator } = sources
  const [users, apps] = await Promise.all([
    named(
      entries.flatMap(({ subject, actor }) => [subject, accountOfActor(actor)]),
      async (id) => {
        const account = await directory.find(id)
        return account?.email ?? account?.name
      },
    ),
    named(
      entries.flatMap(({ clientId, actor }) => [clientId, clientOfActor(actor)]),
      async (id) => (await operator.clients.find(id))?.clientName,
    ),
  ])
  return {
    user: (id) => linkTo(site, 'user', id, users.get(id)),
    client: (id) => linkTo(site, 'client', id, apps.get(id)),
  }
}

/** The id of the account that an entry names as its operator. */
export function accountOfActor(actor: unknown): string | undefined {
  return afterPrefix('account:', actor)
}

/** The id of the client that an entry of the admin API names. */
export function clientOfActor(actor: unknown): string | undefined {
  return afterPrefix('client:', actor)
}

function afterPrefix(prefix: string, actor: unknown): string | undefined {
  return typeof actor === 'string' && actor.startsWith(prefix) ? actor.slice(prefix.length) : undefined
}

async function named(
  ids: readonly (string | undefined)[],
  nameOf: (id: string) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const unique = [...new Set(ids.filter((id) => id !== undefined))]
  return new Map(await Promise.all(unique.map(async (id) => [id, await nameOf(id)] as const)))
}

/** By its id if it has no name, or no longer exists. */
function linkTo({ basePath }: Site, kind: 'user' | 'client', id: string, name: string | undefined): Markup {
  const href = addressOf(`${basePath}/admin/${kind}`, { id })
  const text = name === undefined ? html`<code>${id}</code>` : html`<bdi>${name}</bdi>`
  return html`<a href="${href}" title="${id}">${text}</a>`
}
