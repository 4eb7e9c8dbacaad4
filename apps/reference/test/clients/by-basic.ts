import type { Section } from './sections.ts'

/** Lines that select client_secret_post in a program. */
const NAMES_THE_FORM =
  /^.*(client_secret_post|AuthType::RequestBody|AuthStyleInParams|include_client_id).*\n/m

/** The program without that line, and a service that also offers Basic. */
export function byBasic(section: Section): Section {
  const files = section.files.map(([name, text]): readonly [string, string] => [
    name,
    text.replace(NAMES_THE_FORM, '').replace('ClientSecretPost(', 'ClientSecretBasic('),
  ])
  const settings = {
    ...section.settings,
    CLIENT_AUTHENTICATION: 'none,client_secret_post,client_secret_basic',
  }
  return { ...section, files, settings }
}

/** A program that uses the form by default is left out. */
export function namesTheForm({ files }: Section): boolean {
  return files.some(([, text]) => NAMES_THE_FORM.test(text) || text.includes('ClientSecretPost('))
}
