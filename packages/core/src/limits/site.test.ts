import { expect, it } from 'vitest'
import { siteOf } from './site.ts'

it.each([
  ['editor.dev', 'editor.dev'],
  ['a.b.editor.dev', 'editor.dev'],
  ['a.shop.co.uk', 'shop.co.uk'],
  ['someone.github.io', 'someone.github.io'],
  ['a.someone.github.io', 'someone.github.io'],
  ['github.io', 'github.io'],
  ['bucket.s3.eu-west-1.amazonaws.com', 'bucket.s3.eu-west-1.amazonaws.com'],
  ['account.blob.core.windows.net', 'account.blob.core.windows.net'],
  ['cdn.jsdelivr.net', 'jsdelivr.net'],
  ['xn--80ak6aa92e.xn--p1ai', 'xn--80ak6aa92e.xn--p1ai'],
])('the site of %s is %s', async (host, site) => {
  expect(await siteOf(`https://${host}/client.json`)).toBe(site)
})
