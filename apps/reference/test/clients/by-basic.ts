import type { Section } from './sections.ts'

/** Lines by which a program says that its secret goes in the form. */
const NAMES_THE_FORM =
  /^.*(client_secret_post|AuthType::RequestBody|AuthStyleInParams|include_client_id).*\n/m

/** The program without the line that names the form, and a service that offers Basic too. */
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

/** Not so a program that uses the form without being told. */
export function namesTheForm({ files }: Section): boolean {
  return files.some(([, text]) => NAMES_THE_FORM.test(text) || text.includes('ClientSecretPost('))
}
