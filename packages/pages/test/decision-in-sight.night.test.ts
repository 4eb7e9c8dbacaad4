/// <reference lib="dom" />
import type { ConsentScope } from '@grantkit/core'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pages } from '../src/index.ts'
import { shownPages } from './shown-pages.ts'

/** What a user must have read stands above the buttons, and all of it in one window. */

/** Five scopes, three of which can change things: the texts of most apps are shorter. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Confirm who you are',
    'See your name and picture',
    'Write notes',
    'Change your profile',
    'Delete files',
  ],
  de: [
    ...['Bestätigen, wer Sie sind', 'Ihren Namen und Ihr Bild ansehen', 'Notizen schreiben'],
    ...['Ihr Profil ändern', 'Dateien löschen'],
  ],
  fr: [
    ...['Confirmer votre identité', 'Voir votre nom et votre photo', 'Écrire des notes'],
    ...['Modifier votre profil', 'Supprimer des fichiers'],
  ],
  es: [
    'Confirmar quién es',
    'Ver su nombre y su foto',
    'Escribir notas',
    'Cambiar su perfil',
    'Borrar archivos',
  ],
  'pt-BR': [
    ...['Confirmar quem você é', 'Ver seu nome e sua foto', 'Escrever notas'],
    ...['Alterar seu perfil', 'Excluir arquivos'],
  ],
  ja: ['本人であることの確認', '名前と写真の表示', 'ノートの作成', 'プロフィールの変更', 'ファイルの削除'],
}
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]
const ORIGIN = 'http://notes.example'

const ui = pages({
  brand: {
    name: 'Notes',
    logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>',
    footer: [{ text: 'Imprint', href: '/imprint' }],
  },
  user: () => ({ name: 'Ada Lovelace', email: 'ada@example.com' }),
  links: { connectedApps: '/apps', signOut: () => '/logout', home: '/' },
})

let browser: Browser
let page: Page
let body = ''
beforeAll(async () => {
  browser = await openChromium()
  page = await browser.context.newPage()
  await page.route(`${ORIGIN}/**`, (route) =>
    route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
  )
})
afterAll(() => browser.close())

function fiveScopes(locale: string): ConsentScope[] {
  return (TEXTS[locale] ?? []).map((description, at) => {
    const access = at < 2 ? 'read' : 'write'
    return { name: `scope${at}`, description, access, required: at === 0, allowedBefore: false }
  })
}

const boxes = (selector: string) =>
  page
    .locator(selector)
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect))

describe.each(ui.interaction.uiLocales)('in %s', (locale) => {
  it.each(
    ['consent', 'consent-document', 'consent-known-client', 'device', 'device-elsewhere'].flatMap((name) =>
      SIZES.map((size) => [name, size] as const),
    ),
  )('five scopes and the buttons below them stand in one window: %s, %o', async (name, size) => {
    const shown = await shownPages(ui, locale, 'Desk Calendar', fiveScopes(locale))[name]?.()
    body = String(shown?.body)
    await page.setViewportSize(size)
    await page.goto(`${ORIGIN}/${name}`)
    const scopes = await boxes('label.scope:not(details *)')
    const [bar] = await boxes('.decision')
    expect(scopes).toHaveLength(5)
    expect(Math.max(...scopes.map(({ bottom }) => bottom)), 'end of the scopes').toBeLessThanOrEqual(
      Number(bar?.top),
    )
    expect(Number(bar?.bottom), 'end of the buttons').toBeLessThanOrEqual(size.height)
    const fonts = await page
      .locator('.app-name, section.app .host')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).fontSize))
    expect(new Set(fonts).size, 'the target of the redirect is as large as the name').toBe(1)
  })

  it.each(SIZES)('the buttons cover none of many scopes at any place of the page: %o', async (size) => {
    const shown = await shownPages(ui, locale)['consent-38-scopes']?.()
    body = String(shown?.body)
    await page.setViewportSize(size)
    await page.goto(`${ORIGIN}/consent`)
    for (const way of [0, 300, 5000]) {
      await page.evaluate((top) => window.scrollTo(0, top), way)
      const ends = (await boxes('.area')).map(({ bottom }) => bottom)
      const [bar] = await boxes('.decision')
      expect(Math.max(...ends), `scrolled by ${way} px`).toBeLessThanOrEqual(Number(bar?.top))
    }
  })
})
