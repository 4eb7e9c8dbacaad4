declare const scopes: { 'notes:read': { description: string } }
declare const url: string
