import { describe, expect, it } from 'vitest'
import { mcpClients } from './mcp-clients.ts'

describe.each(mcpClients)('$name $version', ({ date, source, redirectUri, document, requests }) => {
  it('says when and where it was seen', () => {
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(source).not.toBe('')
  })

  it('has no data of the machine or the user it was recorded with', () => {
    const messages = JSON.stringify(requests)
    expect(messages).not.toMatch(/[\w-]{40,}/)
    expect(messages).not.toMatch(/\/(home|tmp|Users)\/|127\.0\.0\.1:(?!33418)|localhost:|@/)
  })

  it('uses a redirect URI of its document, if it has one', () => {
    if (document)
      expect(document.redirect_uris).toContainEqual(
        expect.stringMatching(`^${redirectUri.replace(':{port}', '(:33418)?')}$`),
      )
  })
})
