/** What wrangler.jsonc and the secrets give to the Worker. `wrangler types` writes this too, and much more: then remove this file. */
declare module 'cloudflare:workers' {
  export const env: {
    /** The base URL, as clients see it. */
    readonly ISSUER: string
    /** At least 32 random characters. */
    readonly SECRET: string
    /** The signing keys, as JSON. */ // if: openid
    readonly KEYS: string // if: openid
    readonly RECORDS: import('@grantkit/store-cloudflare/durable-objects').RecordsNamespace
  }
}
