/** What wrangler.jsonc and the secrets give to the Worker. `wrangler types` writes this too, and much more: then remove this file. */
declare module 'cloudflare:workers' {
  export const env: {
    /** The base URL, as clients see it. */
    readonly ISSUER: string
    /** At least 32 random characters. */
    readonly SECRET: string
    /** A JSON object: names of users, and the hashes of their passwords. */
    readonly USERS: string
    readonly RECORDS: import('@grantkit/store-cloudflare/durable-objects').RecordsNamespace
    /** From an IPv4 address or an IPv6 /64, and from an IPv6 /48. */
    readonly SIGN_INS: Limit
    readonly SITE_SIGN_INS: Limit
  }
  interface Limit {
    limit(attempt: { readonly key: string }): Promise<{ readonly success: boolean }>
  }
}
