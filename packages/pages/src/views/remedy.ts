import type { AuthorizationServer } from '@grantkit/core'
import { html, type SafeHtml } from '@remix-run/html-template'

/** What the server offers to clients, by the names of RFC 8414. */
type Metadata = AuthorizationServer['metadata']

/** What an app must do before it sends its user again; absent if the description says it all. For developers: in English. */
export function remedyOf(reason: string, metadata: (() => Metadata) | undefined): SafeHtml | undefined {
  return REMEDIES[reason]?.(metadata?.())
}

const REMEDIES: Readonly<Record<string, (metadata: Metadata | undefined) => SafeHtml>> = {
  client_unknown: (metadata) => html`${waysIn(metadata)} Then begin the authorization anew.`,
  redirect_uri_not_registered: () =>
    html`Send a <code>redirect_uri</code> that the client registered, byte for byte; of a loopback address the port may be another one. A new address needs a new client.`,
  redirect_uri_not_accepted: () =>
    html`Send a <code>redirect_uri</code> at <code>http://127.0.0.1</code>, or ask the operator to register the app.`,
  document_invalid: () =>
    html`The <code>client_id</code> must be the address of a client metadata document, which answers with JSON that names this address as its <code>client_id</code>.`,
  document_unreachable: () =>
    html`The <code>client_id</code> must be the address of a client metadata document that answers at once, without a redirect.`,
}

/** How an app becomes a client here. */
function waysIn(metadata: Metadata | undefined): SafeHtml {
  if (metadata === undefined)
    return html`Send the <code>client_id</code> of a registered client, or register the app anew.`
  const { registration_endpoint: registration, client_id_metadata_document_supported: documents } = metadata
  const document = html`<code>client_id</code> be the address of its client metadata document`
  if (registration === undefined)
    return documents === true
      ? html`Let its ${document}, or ask the operator to register the app.`
      : html`Ask the operator to register the app: it then has a <code>client_id</code>.`
  return html`Register it anew at <code>${String(registration)}</code> (RFC 7591)${documents === true ? html`, or let its ${document}` : ''}.`
}
