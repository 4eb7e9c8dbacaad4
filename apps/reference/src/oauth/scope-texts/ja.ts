import type { ScopeTexts } from './en.ts'

export const ja: ScopeTexts = {
  areas: {
    courses: {
      title: 'コース',
      read: '未公開のものを含むすべてのコースの表示',
      write: 'コースの作成、変更、削除',
    },
    students: { title: '受講生', read: '受講生とその進捗の表示', write: '受講生の登録、変更、削除' },
    members: { title: 'メンバー', read: 'メンバーの表示', write: 'メンバーの追加、変更、削除' },
    analytics: { title: '分析', read: '訪問数、売上、修了率の表示' },
    curriculum: {
      title: 'カリキュラム',
      read: '章とレッスンの表示',
      write: '章とレッスンの作成、変更、削除',
    },
    orders: { title: '注文', read: '注文の表示' },
    school: { title: 'スクール', read: 'スクールの設定の表示', write: 'スクールの設定の変更' },
    appearance: { title: '外観', read: 'テーマとロゴの表示', write: 'テーマとロゴの変更' },
    events: {
      title: 'イベント',
      read: '未公開のものを含むすべてのイベントの表示',
      write: 'イベントの作成、変更、削除',
    },
    membership_plans: {
      title: '会員プラン',
      read: 'すべての会員プランの表示',
      write: '会員プランの作成、変更、削除',
    },
    coupons: { title: 'クーポン', read: 'クーポンの表示', write: 'クーポンの作成、変更、削除' },
    posts: {
      title: '投稿',
      read: '下書きを含むすべての投稿の表示',
      write: '投稿の作成、変更、削除',
    },
    subscriptions: {
      title: '定期購入',
      read: '定期購入の表示',
      write: '定期購入の開始、変更、解約',
    },
    digital_products: {
      title: 'デジタル商品',
      read: 'すべてのデジタル商品の表示',
      write: 'デジタル商品の作成、変更、削除',
    },
    comments: { title: 'コメント', read: 'コメントの表示' },
    lecturers: { title: '講師', read: 'すべての講師の表示', write: '講師の追加、変更、削除' },
    storage: { title: 'ファイル', write: 'ファイルのアップロード、変更、削除' },
    forms: { title: 'フォーム', read: 'フォームとその回答の表示' },
    pages: {
      title: 'ページ',
      read: '下書きを含むすべてのページの表示',
      write: 'ページの作成、変更、削除',
    },
    account: {
      title: 'アカウント',
      read: 'アカウント設定の表示',
      write: 'アカウント設定の変更',
    },
  },
}
