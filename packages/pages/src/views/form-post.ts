import type { HttpResponse } from '@grantkit/core'
import type { FormPostView } from '@grantkit/core/form-post'
import { html } from '@remix-run/html-template'
import { layout, type PageContext } from '../layout.ts'
import { backToApp } from './open-app.ts'

/** The browser posts the answer to an app by the script, or by the button where no script runs. */
export function formPostPage(context: PageContext, view: FormPostView): HttpResponse {
  const { formPost } = context.language
  const fields = Object.entries(view.fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const main = html`
<h1>${backToApp(context, view)}</h1>
<p>${formPost.text}</p>
<form method="post" action="${view.action}">${fields}<button class="primary">${formPost.button}</button></form>`
  const inlineScript = { text: view.script, source: view.scriptSource }
  return layout(context, { title: formPost.button, main, inlineScript, formAction: view.formActionSources })
}
