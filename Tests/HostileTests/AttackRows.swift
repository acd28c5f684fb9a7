/// The attacks as lines: id | attack | place | tests.
enum AttackRows {
    /// A and B: the account's own server and who is on the way to it.
    static let negotiation = """
        A1 | STARTTLS taken out of the features | on the way | XMPPStreamTests/AttackTests/strippedOffer
        A2 | STARTTLS refused, mechanisms in clear | on the way | XMPPStreamTests/AttackTests/strippedSupport XMPPStreamTests/AttackTests/mechanismsInClear
        A3 | SASL success in clear | on the way | XMPPStreamTests/AttackTests/mechanismsInClear
        A4 | bytes injected behind `<proceed/>` | on the way | XMPPStreamTests/AttackTests/injection
        A5 | certificate for another name | on the way | TransportLayerTests/HTTPClientTests/certificates TransportLayerTests/ConnectorTests/badCertificate
        A6 | expired certificate | on the way | TransportLayerTests/HTTPClientTests/certificates
        A7 | self-signed certificate | on the way | TransportLayerTests/HTTPClientTests/certificates
        A8 | only weak mechanisms offered | own server | XMPPStreamTests/AttackTests/forbiddenMechanisms XMPPStreamTests/DowngradeTests/plainAfterSCRAM
        A9 | SCRAM with a wrong server signature | own server | XMPPStreamTests/AttackTests/wrongSignature
        A10 | SCRAM without a server signature | own server | SASLMechanismsTests/SCRAMAttackTests/missingSignature
        A11 | one SCRAM iteration | own server | SASLMechanismsTests/SCRAMAttackTests/bounds
        A12 | 2,000,000,000 SCRAM iterations | own server | SASLMechanismsTests/SCRAMAttackTests/bounds
        A13 | SCRAM nonce that does not extend ours | own server | XMPPStreamTests/AttackTests/foreignNonce
        A13b | SCRAM mandatory extension | own server | SASLMechanismsTests/SCRAMAttackTests/first
        A14 | success before any challenge | own server | XMPPStreamTests/AttackTests/earlySuccess
        A15 | -PLUS taken off a signed list (XEP-0474) | on the way | XMPPStreamTests/DowngradeTests/strippedSignedPlus
        A16 | -PLUS with an unknown kind of binding only | on the way | XMPPStreamTests/DowngradeTests/unknownBinding SASLMechanismsTests/NegotiatorTests/noLongerBound
        A17 | stream of another domain | own server | XMPPStreamTests/DowngradeTests/wrongFrom
        A18 | stream in `jabber:server` | own server | XMPPStreamTests/AttackTests/header
        A19 | stream without a version | own server | XMPPStreamTests/AttackTests/header
        B1 | entities that expand a billion times | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B2 | external entity | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B3 | comment, processing instruction | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B4 | other encodings declared | own server | XMLStreamingTests/XMLStrictnessTests/prolog
        B5 | overlong UTF-8 | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B6 | one attribute twice, by two prefixes | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B7 | deep nesting before login | own server | XMPPStreamTests/AttackTests/nestingBomb
        B8 | 10,000 attributes before login | own server | XMLStreamingTests/XMLLimitTests/boundary
        B9 | endless element before login | own server | XMPPStreamTests/AttackTests/largeElement
        B10 | endless white space before login | own server | XMLStreamingTests/XMLLimitTests/keepAlive
        B11 | inherited namespace multiplied before TLS | on the way | XMLStreamingTests/InheritedNamespaceTests/once XMLStreamingTests/InheritedNamespaceTests/limits XMLStreamingTests/InheritedNamespaceTests/counted
        B12 | inherited namespace multiplied after login | own server | HostileTests/OwnServerTests/amplification
        B13 | attributes with an inherited prefix in quadratic time | own server | HostileTests/OwnServerTests/amplification XMLStreamingTests/InheritedNamespaceTests/linear
        """

    /// C, D and F: who says what, and who learns what.
    static let messages = """
        C1 | forged carbon of a stranger | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes
        C2 | forged carbon of a fellow user | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes
        C3 | archive result that nobody asked for | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/ArchiveLiveTests/forged
        C4 | bare forwarded message | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes
        C5 | roster push of a stranger | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/RosterLiveTests/forgedPush
        C6 | block push of a stranger | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/BlockingLiveTests/forgedPush
        C7a | ping of a stranger who knows the full address | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7b | disco#info of such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7c | version query of such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7d | time query of such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7e | last activity query of such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7f | vCard query of such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C8 | receipt asked for by a stranger | Prosody, ejabberd | HostileTests/StrangerTests/silence
        C8b | receipt asked for by a headline without text | Prosody, ejabberd | HostileTests/StrangerTests/silence
        C9 | resource with a direction override | Prosody, ejabberd | HostileTests/StrangerTests/oddities
        C10 | message of an unknown type | Prosody, ejabberd | HostileTests/StrangerTests/oddities
        C11 | priority of 10^24 | Prosody, ejabberd | HostileTests/StrangerTests/oddities
        D1 | receipts, markers and errors of people it was not sent to | Prosody | HostileTests/StrangerTests/foreignReceipts
        D2 | correction and retraction by another account with the same id | Prosody | HostileTests/StrangerTests/foreignCorrections
        D3 | delay without a sender: behind what was read | Prosody, ejabberd | HostileTests/StrangerTests/backdated
        D3b | delay in the name of the account's server | Prosody, ejabberd | HostileTests/StrangerTests/backdated
        D3c | delay of the future or of no possible day | Prosody | HostileTests/StrangerTests/impossible
        D4 | photo hash in a stranger's presence | Prosody, ejabberd | HostileTests/StrangerTests/silence
        D4b | avatar event of a stranger | Prosody, ejabberd | HostileTests/StrangerTests/silence
        D5 | bookmark event of another account | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/GroupChatLiveTests/forgedBookmark
        F1 | correction by another occupant | Prosody | ChatStoreTests/AnnotationTests/authors
        F2 | retraction and moderation by another occupant | Prosody | ChatStoreTests/AnnotationTests/moderation MessageSemanticsTests/RoomReaderTests/moderation
        F3 | stanza-id and occupant-id written by an occupant | Prosody | MessageSemanticsTests/MessageIdentityTests/forged
        F4 | correction after the nickname was taken over | Prosody | HostileTests/RoomForgeryTests/takenNickname
        F5 | retraction after the nickname was taken over | Prosody | HostileTests/RoomForgeryTests/takenNickname
        M1 | room archive with a message of a friend | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        M2 | room archive with a message of the user | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        M3 | room archive with a friend's retraction | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        M4 | room archive with a friend's correction | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        N1 | nickname taken over in a room without occupant ids | hostile room | HostileTests/RoomForgeryTests/takenNickname
        N2 | occupant id copied in a room that announces none | hostile room | HostileTests/RoomForgeryTests/copiedOccupantID
        N3 | stanza id copied in a room that announces none | hostile room | HostileTests/RoomForgeryTests/copiedStanzaID
        N4 | room message of a room that was never entered | Prosody | HostileTests/RoomForgeryTests/foreignRoom
        """

    /// G and J: files, addresses and the terminal.
    static let transfers = """
        G1 | file name `../../../../../../etc/x-pwn` | friend | ExtensionsTests/SafeFileNameTests/names ExtensionsTests/SafeFileNameTests/random
        G2 | file name `/etc/x-pwn2` | friend | ExtensionsTests/SafeFileNameTests/names
        G3 | file name with backslashes | friend | ExtensionsTests/SafeFileNameTests/names
        G4 | file name `.bashrc` | friend | ExtensionsTests/SafeFileNameTests/names
        G5 | file name with a direction override | friend | ExtensionsTests/SafeFileNameTests/names
        G6 | file name `CON.txt` | friend | ExtensionsTests/SafeFileNameTests/names
        G7 | file name of any length | friend | ExtensionsTests/SafeFileNameTests/length
        G8 | file name with control characters | friend | ExtensionsTests/SafeFileNameTests/random
        G9 | file name `....//....//x` | friend | ExtensionsTests/SafeFileNameTests/random
        G10 | empty file name | friend | ExtensionsTests/SafeFileNameTests/names
        G11 | file address with http: | friend | TransportLayerTests/HTTPClientTests/plainHTTP
        G12 | file address with file: | friend | TransportLayerTests/HTTPClientTests/plainHTTP
        G13 | file address with ftp: | friend | TransportLayerTests/HTTPClientTests/plainHTTP
        G14 | redirect to http: | file host | TransportLayerTests/HTTPClientTests/redirections HostileTests/FileHostTests/redirects
        G15 | redirect to file: | file host | HostileTests/FileHostTests/redirects
        G16 | redirect to ftp: | file host | HostileTests/FileHostTests/redirects
        G17 | redirect to dict: | file host | HostileTests/FileHostTests/redirects
        G18 | redirect to itself | file host | HostileTests/FileHostTests/redirects
        G19 | https: to a port that is no web server | friend | HostileTests/FileHostTests/otherServices
        G19b | file address with javascript: | friend | HostileTests/FileHostTests/addresses
        G19c | line break in a file address | friend | HostileTests/FileHostTests/addresses
        G20 | another size than announced | file host | ChatModelTests/AttachmentDownloadTests/refused
        G21 | another hash than announced | file host | ChatModelTests/AttachmentDownloadTests/refused
        G22 | negative size | friend | ChatModelTests/AttachmentDownloadTests/refused
        G23 | size of 10^23 | friend | ChatModelTests/AttachmentDownloadTests/refused
        G24 | endless file without a length | file host | TransportLayerTests/HTTPClientTests/limit HostileTests/FileHostTests/endless
        G25 | picture of 60,000 × 60,000 pixels | friend | MediaTests/PictureTests/bombs
        G26 | deflate bomb as content encoding | file host | HostileTests/FileHostTests/compressed
        G27 | endless header lines | file host | HostileTests/FileHostTests/endless
        G28 | one byte a second: later messages | file host | HostileTests/FloodTests/drip
        J1 | terminal control characters everywhere | Prosody | TerminalAppTests/DisplayWidthTests/harmless
        J2 | the same in the history | Prosody | TerminalAppTests/DisplayWidthTests/harmless
        J3 | the same in listen without JSON | Prosody | HostileTests/TerminalTests/listen
        J4 | the same in names of mechanisms | own server | HostileTests/TerminalTests/mechanisms
        J5 | the same in the text of a login failure | own server | HostileTests/TerminalTests/failure
        J6 | the same in the stream header | own server | HostileTests/TerminalTests/header
        """

    /// H, I, K, L and P: floods, the account's server after login, long bodies, the desktop, poison.
    static let floods = """
        H1 | large presences of strangers | Prosody | HostileTests/FloodTests/presences
        H2 | subscription requests without end | Prosody | HostileTests/FloodTests/requests
        H3 | messages of strangers without end (listen) | Prosody | HostileTests/FloodTests/requests
        H4 | receipts for messages that do not exist | Prosody | HostileTests/FloodTests/reports
        H5 | messages of strangers without end (chat) | Prosody | HostileTests/FloodTests/requests
        H6 | large presences of strangers (chat) | Prosody | HostileTests/FloodTests/presences
        H7 | pings without end | Prosody | HostileTests/FloodTests/requests
        I1 | answer with the right id from somebody else | own server | HostileTests/OwnServerTests/impostors XMPPClientTests/RequestTests/impostors
        I2 | acknowledgement of what was never sent | own server | HostileTests/OwnServerTests/tooMuchAcknowledged
        I3 | elements out of place on a running stream | own server | HostileTests/OwnServerTests/outOfPlace
        I4 | stream errors of every kind | own server | HostileTests/OwnServerTests/streamErrors
        I5 | see-other-host that points at itself | own server | XMPPStreamTests/RecurrenceTests/redirects XMPPStreamTests/RecurrenceTests/redirectToItself
        I6 | session bound to another account | own server | HostileTests/OwnServerTests/otherAccount XMPPStreamTests/AttackTests/otherAccount
        I7a | upload slot with http: | own server | ExtensionsTests/FileSharingLiveTests/hostileSlot
        I7b | upload slot with a header injection or `javascript:` to read from | own server | ExtensionsTests/FileSharingLiveTests/hostileSlot
        I7c | upload slot with file: | own server | ExtensionsTests/FileSharingLiveTests/hostileSlot
        I7d | upload redirected | own server | TransportLayerTests/HTTPClientTests/redirections
        K1 | bodies of one long word, of marks, of brackets (chat) | Prosody | HostileTests/FloodTests/longBodies
        K2 | body of line feeds (chat) | Prosody | HostileTests/FloodTests/longBodies
        K3 | body that imitates lines of the history | Prosody | HostileTests/TerminalTests/listen
        L1 | `www.` and brackets (desktop) | friend | ChatAppTests/LongMessageTests/turns
        L2 | 200 KB without a space (desktop) | friend | ChatAppTests/LongMessageTests/turns HostileTests/HostileDesktopTests/poison
        L3 | lines, emoji, links, code blocks, quotations by the thousand (desktop) | friend | ChatAppTests/LongMessageTests/turns
        L4 | markup, direction overrides and look-alike links (desktop) | friend | GTKBindingTests/ObjectTests/markup ChatAppTests/LongMessageTests/directions
        N5 | room with thousands of occupants (chat) | hostile room | HostileTests/FloodTests/largeRoom
        P1 | message with `<xml:a/>` | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/offline HostileTests/PoisonTests/listen HostileTests/PoisonTests/chat HostileTests/HostileDesktopTests/poison
        P2 | message with 130 attributes | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/listen HostileTests/PoisonTests/chat HostileTests/HostileDesktopTests/poison
        P3 | names of 1,030 bytes | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/listen
        P4 | nested 142 deep | ejabberd | HostileTests/PoisonTests/message
        P5 | directed presence with 130 attributes | Prosody, ejabberd | HostileTests/PoisonTests/presence HostileTests/HostileDesktopTests/poison
        P6 | room message with 130 attributes | Prosody, ejabberd | HostileTests/PoisonTests/room
        P7 | 50 KB that the server makes 15 MB of | Prosody | HostileTests/PoisonTests/message
        P8 | `xml:space`, prefixed attributes, namespaces | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/listen
        P9 | receipt request with an id of 300 KB | Prosody, ejabberd | HostileTests/OversizedTests/longID
        P10 | the same as a headline without text | Prosody, ejabberd | HostileTests/OversizedTests/longID
        P11 | ping with an id of 300 KB | Prosody, ejabberd | HostileTests/OversizedTests/longID
        P12 | reply to 70,000 `>` | Prosody, ejabberd | HostileTests/OversizedTests/longTexts
        P13 | own text of 60,000 `&` | Prosody, ejabberd | HostileTests/OversizedTests/longTexts
        P14 | other oddities of XML | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/DifferentialTests/servers
        """
}
