/** What the pages of the school, and the page of its demo, look like. */
export const BRAND = {
  name: 'Harbour School',
  logo: new URL('home/icon.svg', import.meta.url),
  accent: '#0f5e59',
}
