import type { ScopeTexts } from './en.ts'

export const ptBR: ScopeTexts = {
  areas: {
    courses: {
      title: 'Cursos',
      read: 'Ver todos os cursos, inclusive os não publicados',
      write: 'Criar, alterar e excluir cursos',
    },
    students: {
      title: 'Alunos',
      read: 'Ver os alunos e seu progresso',
      write: 'Matricular, alterar e remover alunos',
    },
    members: {
      title: 'Membros',
      read: 'Ver os membros',
      write: 'Adicionar, alterar e remover membros',
    },
    analytics: { title: 'Estatísticas', read: 'Ver visitas, vendas e taxas de conclusão' },
    curriculum: {
      title: 'Conteúdo',
      read: 'Ver capítulos e aulas',
      write: 'Criar, alterar e excluir capítulos e aulas',
    },
    orders: { title: 'Pedidos', read: 'Ver os pedidos' },
    school: {
      title: 'Escola',
      read: 'Ver as configurações da escola',
      write: 'Alterar as configurações da escola',
    },
    appearance: {
      title: 'Aparência',
      read: 'Ver temas e logotipos',
      write: 'Alterar temas e logotipos',
    },
    events: {
      title: 'Eventos',
      read: 'Ver todos os eventos, inclusive os não publicados',
      write: 'Criar, alterar e excluir eventos',
    },
    membership_plans: {
      title: 'Planos de assinatura',
      read: 'Ver todos os planos de assinatura',
      write: 'Criar, alterar e excluir planos de assinatura',
    },
    coupons: {
      title: 'Cupons',
      read: 'Ver os cupons',
      write: 'Criar, alterar e excluir cupons',
    },
    posts: {
      title: 'Publicações',
      read: 'Ver todas as publicações, inclusive rascunhos',
      write: 'Escrever, alterar e excluir publicações',
    },
    subscriptions: {
      title: 'Assinaturas',
      read: 'Ver as assinaturas',
      write: 'Iniciar, alterar e cancelar assinaturas',
    },
    digital_products: {
      title: 'Produtos digitais',
      read: 'Ver todos os produtos digitais',
      write: 'Criar, alterar e excluir produtos digitais',
    },
    comments: { title: 'Comentários', read: 'Ver os comentários' },
    lecturers: {
      title: 'Professores',
      read: 'Ver todos os professores',
      write: 'Adicionar, alterar e remover professores',
    },
    storage: { title: 'Arquivos', write: 'Enviar, alterar e excluir arquivos' },
    forms: { title: 'Formulários', read: 'Ver os formulários e suas respostas' },
    pages: {
      title: 'Páginas',
      read: 'Ver todas as páginas, inclusive rascunhos',
      write: 'Criar, alterar e excluir páginas',
    },
    account: {
      title: 'Sua conta',
      read: 'Ver as configurações da sua conta',
      write: 'Alterar as configurações da sua conta',
    },
  },
}
