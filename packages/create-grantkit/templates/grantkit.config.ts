import type { ServerConfig } from '@grantkit/server'

export default {
  baseUrl: '{{address}}',
  port: {{port}}, // if: port
  brand: { name: '{{name}}', accent: '{{accent}}' }, // if: accent
  brand: { name: '{{name}}' }, // if-not: accent
  scopes: { // if: resource
    // These have their texts, in the languages of the pages. // if: resource
    openid: {}, // if: resource
    profile: {}, // if: resource
    email: {}, // if: resource
    // Your own: give it texts by language too, as { en: '…', de: '…' }. // if: resource
    // Clients request those with baseline: true. With access: 'read' an app can change nothing. // if: resource
    '{{area}}:use': { description: 'Use {{name}}', baseline: true, access: 'write' }, // if: resource
  }, // if: resource
  resources: { '{{resource}}': { accessTokens: 'jwt' } }, // if: resource
  users: { kind: 'external', url: '{{users}}', key: { env: 'EXTERNAL_SIGN_IN_KEY' } }, // if: external
  // NIST SP 800-63B-4, 3.1.1.1: where a password is the only factor. // if-not: external
  passwordMinLength: 15, // if-not: external
  // Claude, ChatGPT, Cursor and others: `grantkit clients known` lists them. // if: known-clients
  features: { knownClients: 'on' }, // if: known-clients
  database: 'sqlite:data/service.sqlite', // if: sqlite
  keysFile: 'data/keys.json', // if: public
} satisfies ServerConfig
