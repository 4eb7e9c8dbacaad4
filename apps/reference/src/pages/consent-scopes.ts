import type { ConsentScope } from '@grantkit/core'
import { html } from 'hono/html'
import type { Markup } from './page.ts'

/** More scopes than this are folded by area: users do not read forty lines, or tab through them. */
const FEW = 8

export function isLong(scopes: readonly ConsentScope[]): boolean {
  return scopes.length > FEW
}

/** The requested scopes by area. */
export function consentScopes(scopes: readonly ConsentScope[]): Markup {
  const group = isLong(scopes) ? folded : open
  return html`${[...Map.groupBy(scopes, ({ area }) => area ?? 'You')].map(([area, ofArea]) => group(area, ofArea))}`
}

/** The summary above the list. */
export function consentCount(scopes: readonly ConsentScope[]): string {
  const writing = scopes.filter(({ access }) => access === 'write').length
  const before = scopes.filter(({ allowedBefore }) => allowedBefore).length
  const all = scopes.length === 1 ? '1 permission' : `${scopes.length} permissions`
  const known = before === 0 ? '' : ` You have allowed it ${before} of them before.`
  return `${all}, ${writing === 0 ? 'none' : writing} of them to change things.${known}`
}

/** Whether "Allow reading only" differs from "Allow" and "Deny". */
export function canAllowReadingOnly(scopes: readonly ConsentScope[]): boolean {
  return scopes.some(({ access }) => access === 'write') && scopes.some(({ access }) => access === 'read')
}

function open(area: string, scopes: readonly ConsentScope[]): Markup {
  return html`<fieldset><legend>${area}</legend>${scopes.map(checkbox)}</fieldset>`
}

function folded(area: string, scopes: readonly ConsentScope[]): Markup {
  const kinds = [...new Set(scopes.flatMap(({ access }) => access ?? []))]
  const before = scopes.every(({ allowedBefore }) => allowedBefore) ? BEFORE : ''
  return html`<details class="area"><summary><span>${area}${before}</span>${kinds.map(badge)}</summary>${scopes.map(checkbox)}</details>`
}

function checkbox({ name, description, access, required, allowedBefore }: ConsentScope): Markup {
  const box = required
    ? html`<input type="checkbox" checked disabled>`
    : html`<input type="checkbox" name="scope" value="${name}" checked>`
  return html`<label class="scope">${box}<span>${description}${required ? ' (needed)' : ''}${allowedBefore ? BEFORE : ''}</span>${access === undefined ? '' : badge(access)}</label>`
}

const BEFORE = html` <span class="before">allowed before</span>`

function badge(access: 'read' | 'write'): Markup {
  return html`<span class="badge ${access}">${access === 'read' ? 'Read' : 'Write'}</span>`
}
