import { isLoopbackUrl } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Markup } from './page.ts'

/** The redirect target of an app for display: its host is more reliable than the name that the app chose. */
export function redirectTarget(uri: string): Markup {
  return html`<code>${hostOf(uri)}</code>${isLoopbackUrl(uri) ? ', on this device' : ''}`
}

function hostOf(uri: string): string {
  return /^https?:\/\/([^/?]+)/.exec(uri)?.[1] ?? uri
}
