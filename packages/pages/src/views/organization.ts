import type { TermViews } from '@grantkit/core/feature'
import type { Organization, OrganizationView } from '@grantkit/core/organizations'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageContext } from '../layout.ts'

/** More than this fold into one list, in which a key jumps to the names that begin with it. */
const FEW = 6

/**
 * For which organization an app gets access: the only one is named, of several the user chooses. Nothing is chosen beforehand, as
 * a wrong one would give an app the data of others.
 */
export function organizationChoice(context: PageContext, terms: TermViews | undefined): SafeHtml | '' {
  const { label, question } = context.language.organization
  const { organizations = [] }: Partial<OrganizationView> = terms?.organization ?? {}
  const [only, second] = organizations
  if (only === undefined) return ''
  if (second === undefined)
    return html`<dl class="who"><div><dt>${label}</dt><dd><strong><bdi>${only.name}</bdi></strong></dd></div></dl>
  <input type="hidden" name="organization" value="${only.id}">`
  return organizations.length > FEW
    ? list(context, organizations)
    : html`<fieldset><legend class="field">${question}</legend>${organizations.map(radio)}</fieldset>`
}

function radio({ id, name }: Organization): SafeHtml {
  return html`<label class="scope"><input type="radio" name="organization" value="${id}" required><span><bdi>${name}</bdi></span></label>`
}

function list({ language: { organization } }: PageContext, organizations: readonly Organization[]): SafeHtml {
  return html`<label class="field" for="organization">${organization.question}</label>
  <select id="organization" name="organization" required><option value="">${organization.choose}</option>${organizations.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select>`
}
