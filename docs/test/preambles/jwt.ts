declare const issuer: string
declare const scopes: { 'notes:read': { description: string } }
