import type { Language } from '../language.ts'

export const fr: Language = {
  tag: 'fr',
  name: 'Français',
  lowerCaseInLists: true,
  common: {
    unnamedApp: 'Une application sans nom',
    signedInAs: 'Connecté en tant que',
    notYou: 'Ce n’est pas vous ?',
  },
  origin: {
    known: 'Vérifié : votre réponse est envoyée à {host} et nulle part ailleurs.',
    operator: 'Mise en place par {brand}.',
    unverified: 'Non vérifiée : elle a choisi ce nom elle-même. Ne continuez que si vous venez de la lancer.',
    document:
      'Elle a choisi ce nom elle-même. Ne continuez que si vous faites confiance au site qui la décrit.',
    loopback:
      'N’importe quel programme de cet appareil peut se faire passer pour cette application. Ne continuez que si vous venez de la lancer.',
  },
  consent: {
    title: 'Autoriser l’accès ?',
    expired:
      'Votre réponse n’a pas été prise en compte : cette page est restée ouverte trop longtemps, ou vous vous êtes reconnecté entre-temps. Veuillez répondre à nouveau.',
    allowsNothing: 'Cette réponse n’autoriserait rien. Cochez au moins une autorisation, ou refusez.',
    theApp: 'L’application',
    describedBy: 'Décrite par',
    sendsYouTo: 'Vous redirige vers',
    onThisDevice: '{host}, sur cet appareil',
    details: 'Détails',
    wholeAddress: 'L’adresse complète',
    reference: 'Référence',
    gains: 'La personne qui a commencé ceci sur {host} peut utiliser cet accès en votre nom.',
    gainsReason:
      'Ne continuez que si vous venez de le commencer là-bas vous-même. Si quelqu’un vous a envoyé un lien, refusez.',
    asks: 'Elle demande à faire ce qui suit en votre nom :',
  },
  organization: {
    label: 'Organisation',
    question: 'Pour quelle organisation ?',
    choose: 'Choisissez',
  },
  details: {
    asks: 'Elle demande exactement ceci :',
    whole: 'Tout ou rien : si quelque chose ne convient pas, refusez.',
  },
  scopes: {
    permissions: { one: '{count} autorisation.', other: '{count} autorisations.' },
    changing: {
      one: '{count} permet d’apporter des modifications.',
      other: '{count} permettent d’apporter des modifications.',
    },
    readingOnly: 'Aucune ne permet de modifier quoi que ce soit.',
    oneReading: 'Une autorisation, qui ne modifie rien.',
    oneChanging: 'Une autorisation, qui permet d’apporter des modifications.',
    allowedBefore: {
      one: 'Vous en avez déjà accordé {count}.',
      other: 'Vous en avez déjà accordé {count}.',
    },
    untick: 'Décochez ce qu’elle ne doit pas faire.',
    disconnect: 'Vous pouvez la déconnecter à tout moment sous {connectedApps}.',
    toDecision: 'Aller à la décision',
    general: 'Général',
    canChange: 'Peut modifier',
    before: 'Déjà autorisé',
    needed: 'Obligatoire',
  },
  decision: {
    deny: 'Refuser',
    allowReadingOnly: 'Autoriser la lecture seule',
    readingOnly: 'Lecture seule',
    allow: 'Autoriser',
  },
  callback: {
    offer: 'Mon application fonctionne sur une autre machine',
    offerWarning:
      'Uniquement si vous l’y avez lancée vous-même. Vous lui transmettez alors une adresse qui la connecte. Si quelqu’un d’autre vous l’a demandée ou vous a envoyé ici, cette personne cherche à accéder à votre compte.',
    offerChoice: 'Afficher l’adresse, pour que je la colle dans mon application',
    title: 'Collez cette adresse dans votre application',
    warning: 'Ne la donnez à personne et ne la saisissez sur aucune autre page.',
    warningReason: 'Quiconque la possède est connecté à votre place.',
    waits: 'L’application attend cette adresse là où vous l’avez lancée.',
    lifetime: {
      one: 'L’adresse est valable une seule fois, pendant {count} seconde.',
      other: 'L’adresse est valable une seule fois, pendant {count} secondes.',
    },
    address: 'Adresse',
    notStarted: 'Si vous n’avez pas lancé l’application vous-même, fermez cette page.',
    thenDisconnect: 'Déconnectez-la ensuite sous {connectedApps}.',
    deniedTitle: 'Aucun accès n’a été accordé',
    denied: 'Vous pouvez arrêter l’application là où vous l’avez lancée et fermer cette page.',
  },
  openApp: {
    title: 'Retour à {app}',
    unnamedTitle: 'Retour à l’application',
    allowed:
      'Vous avez autorisé l’accès. Votre navigateur ouvre maintenant l’application, ou vous le demande d’abord.',
    denied:
      'L’application n’a pas obtenu l’accès. Votre navigateur l’ouvre maintenant, ou vous le demande d’abord.',
    open: 'Ouvrir l’application',
    lifetime: {
      one: 'Si l’application ne s’ouvre pas, utilisez le bouton. Il fonctionne une seule fois, pendant {count} seconde.',
      other:
        'Si l’application ne s’ouvre pas, utilisez le bouton. Il fonctionne une seule fois, pendant {count} secondes.',
    },
    close: 'Une fois de retour dans l’application, vous pouvez fermer cette page.',
  },
  formPost: {
    text: 'Votre navigateur transmet maintenant la réponse à l’application. Si rien ne se passe, utilisez le bouton.',
    button: 'Continuer',
  },
  stepUp: {
    title: 'Un mot de passe ne suffit pas ici.',
    reason:
      'L’application demande une connexion que personne ne peut imiter avec une fausse page ou un mot de passe volé : utilisez votre clé d’accès (passkey).',
    button: 'Se connecter avec une clé d’accès',
    noPasskey:
      'Vous n’avez pas encore de clé d’accès ? Ajoutez-en une dans {account}, puis recommencez dans l’application.',
    account: 'votre compte',
    unsupported: 'Ce navigateur ne propose pas de clés d’accès ici. Essayez-en un autre.',
  },
  signInRefused: {
    denied: '{provider} ne vous a pas connecté. Vous pouvez réessayer ou vous connecter autrement.',
    notNow: 'La connexion avec {provider} ne fonctionne pas pour le moment.',
    invalid:
      'La réponse de {provider} n’a pas été acceptée. Veuillez réessayer. Si cela se reproduit, adressez-vous à l’exploitant de ce service.',
    expired: 'Cette connexion a pris trop de temps ou a commencé dans une autre fenêtre. Veuillez réessayer.',
    notFresh:
      'Vous devez vous reconnecter, et {provider} n’a pas confirmé de nouvelle connexion. Veuillez vous connecter autrement.',
    tooLong:
      'La demande de l’application est trop longue pour ce mode de connexion. Choisissez-en un autre ou recommencez dans l’application.',
    signUpOff:
      'Votre compte chez {provider} ne permet pas de se connecter ici. Demandez l’accès à l’exploitant de ce service.',
    emailMissing:
      '{provider} n’a pas transmis votre adresse e-mail. Adressez-vous à l’exploitant de ce service.',
    emailUnverified:
      '{provider} n’a pas confirmé votre adresse e-mail. Adressez-vous à l’exploitant de ce service.',
    domainNotAllowed: 'Les comptes de {domains} peuvent se connecter ici ; le vôtre est de {domain}.',
    tenantNotAllowed:
      'Votre organisation chez {provider} ne peut pas se connecter ici. Adressez-vous à l’exploitant de ce service.',
    groupMissing:
      'Votre compte chez {provider} n’est dans aucun groupe qui puisse se connecter ici. Adressez-vous à l’exploitant de ce service.',
    groupsOverage:
      '{provider} n’a pas indiqué vos groupes, car ils sont trop nombreux. Adressez-vous à l’exploitant de ce service.',
    emailInUse:
      'Il existe ici un compte avec cette adresse e-mail. Si c’est le vôtre, connectez-vous-y et associez-y {provider}.',
    identityInUse: 'Votre compte chez {provider} est associé à un autre compte ici.',
    adminRefused:
      '{provider} n’est pas assez sûr pour le compte d’un administrateur. Veuillez vous connecter autrement.',
    accountDisabled:
      'Votre compte ici ne permet pas de se connecter. Adressez-vous à l’exploitant de ce service.',
  },
  device: {
    codeTitle: 'Connecter un appareil',
    codeWrong:
      'Ce code n’est pas valable, ou ne l’est plus. Vérifiez-le sur votre appareil, ou recommencez depuis celui-ci.',
    code: 'Code',
    codeWhere: 'Votre appareil, ou le programme que vous venez d’y lancer, affiche le code.',
    codeFromLink:
      'Le code provient d’un lien. Ne continuez que si votre propre appareil affiche le même code en ce moment.',
    continue: 'Continuer',
    codeSent:
      'Si quelqu’un vous a envoyé un code ou un lien, fermez cette page : vous lui donneriez accès à votre compte.',
    title: 'Donner accès à un autre appareil ?',
    warning: 'Si quelqu’un vous a envoyé ce code, refusez.',
    warningReason:
      'Vous ne vous connectez pas ici : un autre appareil agira en votre nom, où qu’il soit et quel que soit son détenteur.',
    theDevice: 'L’appareil',
    itsCode: 'Son code',
    started: 'Commencé',
    sameNetwork: '{ago}, depuis le réseau où vous êtes',
    otherNetwork: '{ago}, depuis un autre réseau que le vôtre',
    unknownNetwork: '{ago}, depuis un réseau inconnu',
    asks: 'L’appareil demande à faire ce qui suit en votre nom :',
    allowedTitle: 'L’appareil a accès',
    allowed:
      'Retournez à l’appareil : {app} continue d’elle-même dans quelques secondes. Vous pouvez fermer cette page.',
    notYours:
      'Si vous n’avez pas commencé cela sur un appareil qui vous appartient, déconnectez-le maintenant sous {connectedApps}.',
    deniedTitle: 'Aucun accès n’a été accordé',
    denied: '{app} n’obtient aucun accès sur l’appareil. Vous pouvez fermer cette page.',
  },
  requests: {
    title: 'Demandes',
    intro:
      'Les applications qui travaillent pour vous sans votre navigateur vous interrogent ici. Une demande expire après quelques minutes.',
    none: 'Aucune demande ne vous attend.',
    view: 'Voir la demande',
    quoted: '« {message} »',
    unanswered: 'Applications dont la demande a pris fin sans réponse',
    silence: 'Ne plus l’autoriser à demander',
    silenced: 'Applications qui ne peuvent pas vous interroger',
    letAsk: 'L’autoriser à demander de nouveau',
    askTitle: 'Une application demande votre accord',
    warning: 'Refusez si vous ne vous y attendez pas.',
    warningReason:
      'Vous n’avez rien commencé ici : l’application demande d’elle-même, au moment de son choix.',
    theApp: 'L’application',
    says: 'L’application dit',
    asked: 'Demandé',
    askedFrom: '{ago}, depuis le réseau {network}',
    asks: 'L’application demande à faire ce qui suit en votre nom :',
    never: 'Si je refuse : cette application ne peut plus rien me demander',
    allowedTitle: 'L’application a accès',
    allowed: '{app} continue d’elle-même dans quelques secondes. Vous pouvez fermer cette page.',
    mistake: 'Si c’était une erreur, déconnectez-la maintenant sous {connectedApps}.',
    deniedTitle: 'Aucun accès n’a été accordé',
    denied: '{app} n’obtient aucun accès. Vous pouvez fermer cette page.',
    blocked:
      '{app} ne peut rien vous demander avant le {time}. Vous pouvez changer cela sur la page des demandes.',
    once: {
      allowedTitle: 'Autorisé une fois',
      allowed:
        'Cela peut être fait une fois, dans les prochaines minutes. {app} n’a obtenu aucun autre accès. Vous pouvez fermer cette page.',
      deniedTitle: 'Refusé',
      denied: 'Cela ne sera pas fait. Vous pouvez fermer cette page.',
    },
  },
  logout: {
    title: 'Se déconnecter ?',
    askedByApp: 'Une application qui se nomme {app} demande à vous déconnecter de {brand}.',
    askedByLink: 'Un lien demande à vous déconnecter de {brand}.',
    appsKeepAccess:
      'Les applications que vous avez déjà autorisées conservent leur accès, y compris celles en ligne de commande, sauf celles dont l’accès prend fin avec votre session.',
    disconnect: 'Vous pouvez les déconnecter sous {connectedApps}.',
    signOut: 'Se déconnecter',
    stay: 'Rester connecté',
    signedOutTitle: 'Vous êtes déconnecté',
  },
  connectedApps: {
    title: 'Applications connectées',
    intro: 'Une application que vous déconnectez perd aussitôt son accès et doit vous le demander à nouveau.',
    used: 'Une application est considérée comme utilisée lorsqu’elle renouvelle son accès, environ une fois par heure tant qu’elle fonctionne.',
    none: 'Aucune application ne peut agir en votre nom.',
    noneHere: 'Il n’y a aucune application sur cette page.',
    expired:
      'Rien n’a été modifié : cette page est restée ouverte trop longtemps, ou vous vous êtes reconnecté entre-temps. Veuillez réessayer.',
    disconnected: 'Déconnexion effectuée : {app} ne peut plus rien faire en votre nom.',
    named: 'L’application s’appelle désormais {app} sur cette page.',
    unregistered: 'Une application qui n’est plus enregistrée',
    callsItself: 'L’application se nomme elle-même {app}.',
    unverified: 'Elle a choisi ce nom elle-même.',
    runsOn: 'Fonctionne sur',
    otherDevice: 'un autre appareil',
    otherDeviceFrom: 'un autre appareil, dont la demande provenait de {network}',
    allowedBy: 'Autorisé par',
    verifiedAddress: 'Adresse vérifiée',
    firstUsed: 'Première utilisation',
    lastUsed: 'Dernière utilisation',
    mayDo: 'Ce qu’elle peut faire',
    yourName: 'Le nom que vous lui donnez',
    yourNameFor: 'Le nom que vous donnez à {app}',
    save: 'Enregistrer',
    disconnect: 'Déconnecter',
    disconnectApp: 'Déconnecter {app}',
    installations: { one: '{count} installation.', other: '{count} installations.' },
    disconnectAll: { other: 'Déconnecter les {count}' },
    disconnectAllOf: '{all} installations de {app}',
    pages: 'Pages',
    firstPage: 'Première page',
    nextPage: 'Page suivante',
  },
  personalTokens: {
    title: 'Jetons d’accès personnels',
    intro:
      'Pour un script ou un serveur de build, là où aucun navigateur ne peut vous connecter. Quiconque possède un jeton peut faire en votre nom ce qu’il permet.',
    none: 'Vous n’avez aucun jeton.',
    made: 'Votre jeton {label}',
    copyNow: 'Copiez-le maintenant : il ne sera plus affiché.',
    secret:
      'Gardez-le comme un mot de passe. Ne l’écrivez pas dans du code source et ne le donnez à personne.',
    token: 'Jeton',
    copy: 'Copier',
    copied: 'Copié',
    make: 'Nouveau jeton',
    name: 'Nom',
    nameHint: 'Pour vous-même, par exemple le programme et la machine.',
    mayDo: 'Ce qu’il peut faire',
    worksAt: 'Où il est valable',
    expiresAfter: 'Expire après',
    days: { one: '{count} jour', other: '{count} jours' },
    submit: 'Créer le jeton',
    created: 'Créé',
    expires: 'Expire',
    never: 'jamais',
    expiresSoon: 'Expire bientôt',
    lastUsed: 'Dernière utilisation',
    notYet: 'pas encore',
    usedFrom: '{time}, depuis {network}',
    end: 'Révoquer',
    endToken: 'Révoquer {label}',
    ended: 'Le jeton {label} est révoqué. Il n’est plus valable nulle part.',
    notFresh: 'Pour créer un jeton, confirmez qu’il s’agit bien de vous.',
    signInAgain: 'Se reconnecter',
    expired:
      'Rien n’a été modifié : cette page est restée ouverte trop longtemps, ou vous vous êtes reconnecté entre-temps. Veuillez réessayer.',
    incomplete:
      'Aucun jeton n’a été créé. Donnez-lui un nom de 60 caractères au plus, et cochez ce qu’il peut faire et où il est valable.',
    full: 'Aucun jeton n’a été créé : vous en avez autant qu’une personne peut en avoir. Révoquez-en un dont vous n’avez plus besoin.',
    back: 'Retour à votre compte',
  },
  error: {
    title: 'Cette demande ne peut pas aboutir',
    unavailableTitle: 'Le service est momentanément indisponible',
    unavailable: 'Veuillez réessayer dans un instant.',
    tellProgram:
      'Si cela se reproduit, transmettez le texte ci-dessous à l’application ou à ses développeurs.',
    reference: 'Si vous demandez de l’aide, indiquez cette référence : {reference}',
    forDeveloper: 'Texte pour l’application et ses développeurs',
  },
  advice: {
    appMistake: 'L’application qui vous a envoyé ici a commis une erreur. Retournez-y et réessayez.',
    appUnknown: '{brand} ne connaît pas cette application. Retournez-y et connectez-vous à nouveau.',
    appNotDescribed:
      'L’application indique une adresse qui la décrirait, mais ce n’est pas le cas. Retournez à l’application et réessayez.',
    appNotAccepted:
      '{brand} n’accepte pas cette application en l’état. Adressez-vous à l’exploitant de {brand}.',
    redirectAddress:
      'L’application veut recevoir la réponse à une adresse qui n’est pas enregistrée pour elle. Vous n’y avez pas été redirigé. Supprimez la connexion dans l’application et ajoutez-la à nouveau : elle enregistrera alors la nouvelle adresse.',
    redirectNotAllowed:
      'L’application veut recevoir la réponse à une adresse que {brand} n’autorise pas. Vous n’y avez pas été redirigé. Seul l’exploitant de {brand} peut l’autoriser.',
    requestExpired: 'Cela a pris trop de temps. Retournez à l’application et recommencez.',
    requestUnknown:
      'Le lien avec lequel l’application vous a envoyé n’est pas valable. Retournez à l’application et recommencez.',
    requestAnswered: 'Vous avez déjà répondu. Retournez à l’application.',
    signInNeeded: 'L’application voulait continuer sans vous interroger, mais vous n’êtes pas connecté ici.',
    signInDeclined:
      'Vous ne vous êtes pas connecté. Vous pouvez fermer cette fenêtre et revenir à l’application.',
    otherSite: 'Un autre site a envoyé ce formulaire : rien n’a donc été décidé. Fermez ce site.',
    tooManyApps: 'Trop d’applications inconnues ont été essayées. Patientez un peu, puis réessayez.',
    tooManyCodes:
      'Trop de codes ont été essayés. Patientez quelques minutes, puis vérifiez le code sur votre appareil.',
    deviceExpired: 'Cela a pris trop de temps. Recommencez sur l’appareil.',
    deviceAnswered: 'Vous avez déjà répondu. Retournez à l’appareil.',
    deviceFormExpired:
      'Cette page est restée ouverte trop longtemps, ou vous vous êtes reconnecté entre-temps. Rien n’a été décidé : ouvrez-la à nouveau et ressaisissez le code.',
    choiceMissing: 'Il manquait un choix, rien n’a donc été décidé. Revenez en arrière et choisissez.',
    notMember: 'Vous ne faites pas partie de cette organisation.',
    noOrganization: 'Vous ne faites partie d’aucune organisation, et ce serveur en exige une.',
    notShown: 'La page n’a pas montré tout ce que l’application demande. Recommencez dans l’application.',
    requestDecided: 'Vous avez déjà répondu. Il n’y a rien d’autre à faire.',
    requestEnded:
      'La demande a pris fin. Si vous la souhaitez, l’application doit vous interroger de nouveau.',
    requestFormExpired: 'Rien n’a été décidé : ouvrez à nouveau la page des demandes.',
    noRequest:
      'Vous n’avez pas de telle demande. Connectez-vous avec le compte que l’application a interrogé.',
    signOutUnproven:
      'La demande de déconnexion de l’application n’est pas valable : vous êtes donc toujours connecté.',
    signOutAppUnknown:
      'La demande n’indique pas de quelle application elle vient : vous n’y avez donc pas été redirigé. Vous êtes toujours connecté.',
    signOutAddress:
      'L’application veut vous faire revenir à une adresse qui n’est pas enregistrée pour elle. Vous n’y avez pas été redirigé et vous êtes toujours connecté.',
    signOutFormExpired:
      'Cette page est restée ouverte trop longtemps, ou vous vous êtes déconnecté ou reconnecté entre-temps. Il ne s’est rien passé cette fois.',
  },
}
