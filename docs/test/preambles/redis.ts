declare const scopes: { 'notes:read': { description: string } }
declare const url: string
declare const issuer: string
