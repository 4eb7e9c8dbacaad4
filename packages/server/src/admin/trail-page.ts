import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import { KEPT_TYPES } from '../audit/kept-events.ts'
import type { AuditQuery } from '../audit/reading.ts'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { CommandNames } from '../command-names.ts'
import type { Markup } from '../http/page.ts'
import { rangeNamed, sinceOf } from '../operator/time-range.ts'
import { adminPage, pageLinks, parameter } from './admin-page.ts'
import { choiceField, filterForm, rangeField, textField } from './filter-form.ts'
import { type NameSources, subjectOf } from './names.ts'
import type { Show } from './operator-visits.ts'
import { trailTable } from './trail-table.ts'
import { eventWords } from './words.ts'

const SHOWN = 50

export interface TrailPageOptions extends NameSources {
  readonly directory: Pick<AccountDirectory, 'find' | 'withEmail'>
  readonly trail: TrailReader
  readonly commands: CommandNames
}

/** The audit trail, the newest entries first. */
export function trailPage(options: TrailPageOptions): Show {
  const { site, trail, commands } = options
  const path = `${site.basePath}/admin/trail`
  return async (c, visit) => {
    const filter = filterOf(c)
    const after = parameter(c, 'after')
    const { entries, next } = await trail.page(await queryOf(filter, options), SHOWN, after)
    const main = html`
${filterForm(path, fieldsOf(filter))}
${await trailTable(options, entries)}
${pageLinks(path, { ...filter, after }, next)}
<p class="hint">All of it as JSON lines: <code>${commands.trail} export</code>.</p>`
    return adminPage(site, visit, { title: 'Audit trail', section: '/trail', main })
  }
}

type Filter = Readonly<Record<'range' | 'type' | 'user' | 'client', string | undefined>>

function filterOf(c: Context): Filter {
  return {
    range: rangeNamed(parameter(c, 'range')),
    type: parameter(c, 'type'),
    user: parameter(c, 'user'),
    client: parameter(c, 'client'),
  }
}

async function queryOf(
  { range, type, user, client }: Filter,
  { directory }: TrailPageOptions,
): Promise<AuditQuery> {
  return {
    types: type === undefined ? undefined : [type],
    subject: await subjectOf(directory, user),
    clientId: client,
    since: sinceOf(rangeNamed(range)),
  }
}

function fieldsOf({ range, type, user, client }: Filter): Markup[] {
  const types = KEPT_TYPES.map((value) => ({ value, text: eventWords(value) }))
  return [
    rangeField(range),
    choiceField(
      { name: 'type', label: 'What', value: type },
      'Everything',
      types.sort((one, other) => (one.text < other.text ? -1 : 1)),
    ),
    textField({ name: 'user', label: 'User, by e-mail address or id', value: user }),
    textField({ name: 'client', label: 'Client, by id', value: client }),
  ]
}
