import type { HttpResponse } from '@grantkit/core'
import { ALICE } from '../client.ts'
import type { Message } from '../service.ts'

/** The form of a page, sent by its user. */
export function formOf(page: HttpResponse, fields: Record<string, string>): [string, string, Message] {
  const { action, ticket } = JSON.parse(page.body) as { action: string; ticket: string }
  const [path = '', query = ''] = action.split('?')
  return ['POST', path, { query, form: { ticket, ...fields }, headers: ALICE }]
}
