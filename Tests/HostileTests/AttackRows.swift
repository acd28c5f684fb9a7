/// The attacks as lines: id | attack | place | tests.
enum AttackRows {
    /// A and B: the account's own server and attackers on the network.
    static let negotiation = """
        A1 | STARTTLS removed from the features | network | XMPPStreamTests/AttackTests/strippedOffer
        A2 | STARTTLS refused, mechanisms offered without TLS | network | XMPPStreamTests/AttackTests/strippedSupport XMPPStreamTests/AttackTests/mechanismsInClear
        A3 | SASL success without TLS | network | XMPPStreamTests/AttackTests/mechanismsInClear
        A4 | bytes injected after `<proceed/>` | network | XMPPStreamTests/AttackTests/injection
        A5 | certificate for another name | network | TransportLayerTests/HTTPClientTests/certificates TransportLayerTests/ConnectorTests/badCertificate
        A6 | expired certificate | network | TransportLayerTests/HTTPClientTests/certificates
        A7 | self-signed certificate | network | TransportLayerTests/HTTPClientTests/certificates
        A8 | only weak mechanisms offered | own server | XMPPStreamTests/AttackTests/forbiddenMechanisms XMPPStreamTests/DowngradeTests/plainAfterSCRAM
        A9 | SCRAM with a wrong server signature | own server | XMPPStreamTests/AttackTests/wrongSignature
        A10 | SCRAM without a server signature | own server | SASLMechanismsTests/SCRAMAttackTests/missingSignature
        A11 | a single SCRAM iteration | own server | SASLMechanismsTests/SCRAMAttackTests/bounds
        A12 | 2,000,000,000 SCRAM iterations | own server | SASLMechanismsTests/SCRAMAttackTests/bounds
        A13 | SCRAM nonce that does not extend ours | own server | XMPPStreamTests/AttackTests/foreignNonce
        A13b | SCRAM mandatory extension | own server | SASLMechanismsTests/SCRAMAttackTests/first
        A14 | success before any challenge | own server | XMPPStreamTests/AttackTests/earlySuccess
        A15 | -PLUS removed from a signed list (XEP-0474) | network | XMPPStreamTests/DowngradeTests/strippedSignedPlus
        A16 | -PLUS with an unknown binding type only | network | XMPPStreamTests/DowngradeTests/unknownBinding SASLMechanismsTests/NegotiatorTests/noLongerBound
        A17 | stream of another domain | own server | XMPPStreamTests/DowngradeTests/wrongFrom
        A18 | stream in `jabber:server` | own server | XMPPStreamTests/AttackTests/header
        A19 | stream without a version | own server | XMPPStreamTests/AttackTests/header
        B1 | entities that expand a billion times | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B2 | external entity | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B3 | comment, processing instruction | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B4 | declaration of other encodings | own server | XMLStreamingTests/XMLStrictnessTests/prolog
        B5 | overlong UTF-8 | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B6 | duplicate attribute with two prefixes | own server | XMLStreamingTests/XMLStrictnessTests/reject
        B7 | deep nesting before login | own server | XMPPStreamTests/AttackTests/nestingBomb
        B8 | 10,000 attributes before login | own server | XMLStreamingTests/XMLLimitTests/boundary
        B9 | endless element before login | own server | XMPPStreamTests/AttackTests/largeElement
        B10 | endless whitespace before login | own server | XMLStreamingTests/XMLLimitTests/keepAlive
        B11 | amplification by an inherited namespace before TLS | network | XMLStreamingTests/InheritedNamespaceTests/once XMLStreamingTests/InheritedNamespaceTests/limits XMLStreamingTests/InheritedNamespaceTests/counted
        B12 | amplification by an inherited namespace after login | own server | HostileTests/OwnServerTests/amplification
        B13 | attributes with an inherited prefix in quadratic time | own server | HostileTests/OwnServerTests/amplification XMLStreamingTests/InheritedNamespaceTests/linear
        """

    /// C, D and F: forged senders, and information that others can get.
    static let messages = """
        C1 | carbon forged by a stranger | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes
        C2 | carbon forged by a user of the same server | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes
        C3 | archive result without a query | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/ArchiveLiveTests/forged
        C4 | bare forwarded message | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes
        C5 | roster push of a stranger | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/RosterLiveTests/forgedPush
        C6 | block push of a stranger | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/BlockingLiveTests/forgedPush
        C7a | ping by a stranger that knows the full address | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7b | disco#info query by such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7c | version query by such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7d | time query by such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7e | last activity query by such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C7f | vCard query by such a stranger | Prosody, ejabberd | HostileTests/StrangerTests/probes
        C8 | receipt requested by a stranger | Prosody, ejabberd | HostileTests/StrangerTests/silence
        C8b | receipt requested by a headline without text | Prosody, ejabberd | HostileTests/StrangerTests/silence
        C9 | resource with a direction override | Prosody, ejabberd | HostileTests/StrangerTests/oddities
        C10 | message of an unknown type | Prosody, ejabberd | HostileTests/StrangerTests/oddities
        C11 | priority of 10^24 | Prosody, ejabberd | HostileTests/StrangerTests/oddities
        D1 | receipts, markers and errors from others than the recipient | Prosody | HostileTests/StrangerTests/foreignReceipts
        D2 | correction and retraction by another account with the same id | Prosody | HostileTests/StrangerTests/foreignCorrections
        D3 | delay stamp without a sender, before the read position | Prosody, ejabberd | HostileTests/StrangerTests/backdated
        D3b | delay stamp in the name of the account's server | Prosody, ejabberd | HostileTests/StrangerTests/backdated
        D3c | delay stamp in the future or with an invalid date | Prosody | HostileTests/StrangerTests/impossible
        D4 | photo hash in a stranger's presence | Prosody, ejabberd | HostileTests/StrangerTests/silence
        D4b | avatar event of a stranger | Prosody, ejabberd | HostileTests/StrangerTests/silence
        D5 | bookmark event of another account | Prosody, ejabberd | HostileTests/StrangerTests/forgedPushes ExtensionsTests/GroupChatLiveTests/forgedBookmark
        F1 | correction by another occupant | Prosody | ChatStoreTests/AnnotationTests/authors
        F2 | retraction and moderation by another occupant | Prosody | ChatStoreTests/AnnotationTests/moderation MessageSemanticsTests/RoomReaderTests/moderation
        F3 | stanza-id and occupant-id forged by an occupant | Prosody | MessageSemanticsTests/MessageIdentityTests/forged
        F4 | correction after the nickname was taken over | Prosody | HostileTests/RoomForgeryTests/takenNickname
        F5 | retraction after the nickname was taken over | Prosody | HostileTests/RoomForgeryTests/takenNickname
        M1 | room archive with a message of a contact | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        M2 | room archive with a message of the user | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        M3 | room archive with a contact's retraction | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        M4 | room archive with a contact's correction | Prosody, ejabberd | HostileTests/ForgedArchiveTests/archive
        N1 | nickname taken over in a room without occupant ids | hostile room | HostileTests/RoomForgeryTests/takenNickname
        N2 | occupant id copied in a room that announces none | hostile room | HostileTests/RoomForgeryTests/copiedOccupantID
        N3 | stanza id copied in a room that announces none | hostile room | HostileTests/RoomForgeryTests/copiedStanzaID
        N4 | room message from a room that was never joined | Prosody | HostileTests/RoomForgeryTests/foreignRoom
        """

    /// G and J: files, URLs and the terminal.
    static let transfers = """
        G1 | file name `../../../../../../etc/x-pwn` | contact | ExtensionsTests/SafeFileNameTests/names ExtensionsTests/SafeFileNameTests/random
        G2 | file name `/etc/x-pwn2` | contact | ExtensionsTests/SafeFileNameTests/names
        G3 | file name with backslashes | contact | ExtensionsTests/SafeFileNameTests/names
        G4 | file name `.bashrc` | contact | ExtensionsTests/SafeFileNameTests/names
        G5 | file name with a direction override | contact | ExtensionsTests/SafeFileNameTests/names
        G6 | file name `CON.txt` | contact | ExtensionsTests/SafeFileNameTests/names
        G7 | file name of unlimited length | contact | ExtensionsTests/SafeFileNameTests/length
        G8 | file name with control characters | contact | ExtensionsTests/SafeFileNameTests/random
        G9 | file name `....//....//x` | contact | ExtensionsTests/SafeFileNameTests/random
        G10 | empty file name | contact | ExtensionsTests/SafeFileNameTests/names
        G11 | file URL with http: | contact | TransportLayerTests/HTTPClientTests/plainHTTP
        G12 | file URL with file: | contact | TransportLayerTests/HTTPClientTests/plainHTTP
        G13 | file URL with ftp: | contact | TransportLayerTests/HTTPClientTests/plainHTTP
        G14 | redirect to http: | file host | TransportLayerTests/HTTPClientTests/redirections HostileTests/FileHostTests/redirects
        G15 | redirect to file: | file host | HostileTests/FileHostTests/redirects
        G16 | redirect to ftp: | file host | HostileTests/FileHostTests/redirects
        G17 | redirect to dict: | file host | HostileTests/FileHostTests/redirects
        G18 | redirect to itself | file host | HostileTests/FileHostTests/redirects
        G19 | https: to a port of another service | contact | HostileTests/FileHostTests/otherServices
        G19b | file URL with javascript: | contact | HostileTests/FileHostTests/addresses
        G19c | line break in a file URL | contact | HostileTests/FileHostTests/addresses
        G20 | different size than announced | file host | ChatModelTests/AttachmentDownloadTests/refused
        G21 | different hash than announced | file host | ChatModelTests/AttachmentDownloadTests/refused
        G22 | negative size | contact | ChatModelTests/AttachmentDownloadTests/refused
        G23 | size of 10^23 | contact | ChatModelTests/AttachmentDownloadTests/refused
        G24 | endless file without a length | file host | TransportLayerTests/HTTPClientTests/limit HostileTests/FileHostTests/endless
        G25 | picture of 60,000 × 60,000 pixels | contact | MediaTests/PictureTests/bombs
        G26 | deflate bomb as content encoding | file host | HostileTests/FileHostTests/compressed
        G27 | endless header lines | file host | HostileTests/FileHostTests/endless
        G28 | one byte per second, delaying later messages | file host | HostileTests/FloodTests/drip
        J1 | terminal control characters in all texts | Prosody | TerminalAppTests/DisplayWidthTests/harmless
        J2 | the same in the history | Prosody | TerminalAppTests/DisplayWidthTests/harmless
        J3 | the same in `listen` without JSON | Prosody | HostileTests/TerminalTests/listen
        J4 | the same in names of mechanisms | own server | HostileTests/TerminalTests/mechanisms
        J5 | the same in the text of a login failure | own server | HostileTests/TerminalTests/failure
        J6 | the same in the stream header | own server | HostileTests/TerminalTests/header
        """

    /// H, I, K, L and P: floods, the account's server after login, long bodies, the desktop, poison.
    static let floods = """
        H1 | large presences of strangers | Prosody | HostileTests/FloodTests/presences
        H2 | endless subscription requests | Prosody | HostileTests/FloodTests/requests
        H3 | endless messages of strangers (listen) | Prosody | HostileTests/FloodTests/requests
        H4 | receipts for messages that do not exist | Prosody | HostileTests/FloodTests/reports
        H5 | endless messages of strangers (chat) | Prosody | HostileTests/FloodTests/requests
        H6 | large presences of strangers (chat) | Prosody | HostileTests/FloodTests/presences
        H7 | endless pings | Prosody | HostileTests/FloodTests/requests
        I1 | response with the right id from another sender | own server | HostileTests/OwnServerTests/impostors XMPPClientTests/RequestTests/impostors
        I2 | acknowledgement of stanzas that were never sent | own server | HostileTests/OwnServerTests/tooMuchAcknowledged
        I3 | elements out of place on a running stream | own server | HostileTests/OwnServerTests/outOfPlace
        I4 | stream errors of every kind | own server | HostileTests/OwnServerTests/streamErrors
        I5 | see-other-host with its own address | own server | XMPPStreamTests/RecurrenceTests/redirects XMPPStreamTests/RecurrenceTests/redirectToItself
        I6 | session bound to another account | own server | HostileTests/OwnServerTests/otherAccount XMPPStreamTests/AttackTests/otherAccount
        I7a | upload slot with http: | own server | ExtensionsTests/FileSharingLiveTests/hostileSlot
        I7b | upload slot with a header injection or a `javascript:` download URL | own server | ExtensionsTests/FileSharingLiveTests/hostileSlot
        I7c | upload slot with file: | own server | ExtensionsTests/FileSharingLiveTests/hostileSlot
        I7d | upload redirected | own server | TransportLayerTests/HTTPClientTests/redirections
        K1 | bodies of one long word, of marks, of brackets (chat) | Prosody | HostileTests/FloodTests/longBodies
        K2 | body of line feeds (chat) | Prosody | HostileTests/FloodTests/longBodies
        K3 | body that imitates lines of the output | Prosody | HostileTests/TerminalTests/listen
        L1 | `www.` and brackets (desktop) | contact | ChatAppTests/LongMessageTests/turns
        L2 | 200 KB without a space (desktop) | contact | ChatAppTests/LongMessageTests/turns HostileTests/HostileDesktopTests/poison
        L3 | thousands of lines, emoji, links, code blocks or quotations (desktop) | contact | ChatAppTests/LongMessageTests/turns
        L4 | markup, direction overrides and look-alike links (desktop) | contact | GTKBindingTests/ObjectTests/markup ChatAppTests/LongMessageTests/directions
        N5 | room with thousands of occupants (chat) | hostile room | HostileTests/FloodTests/largeRoom
        P1 | message with `<xml:a/>` | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/offline HostileTests/PoisonTests/listen HostileTests/PoisonTests/chat HostileTests/HostileDesktopTests/poison
        P2 | message with 130 attributes | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/listen HostileTests/PoisonTests/chat HostileTests/HostileDesktopTests/poison
        P3 | names of 1,030 bytes | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/listen
        P4 | 142 nested elements | ejabberd | HostileTests/PoisonTests/message
        P5 | directed presence with 130 attributes | Prosody, ejabberd | HostileTests/PoisonTests/presence HostileTests/HostileDesktopTests/poison
        P6 | room message with 130 attributes | Prosody, ejabberd | HostileTests/PoisonTests/room
        P7 | 50 KB that the server expands to 15 MB | Prosody | HostileTests/PoisonTests/message
        P8 | `xml:space`, prefixed attributes, namespaces | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/PoisonTests/listen
        P9 | receipt request with an id of 300 KB | Prosody, ejabberd | HostileTests/OversizedTests/longID
        P10 | the same as a headline without text | Prosody, ejabberd | HostileTests/OversizedTests/longID
        P11 | ping with an id of 300 KB | Prosody, ejabberd | HostileTests/OversizedTests/longID
        P12 | reply to 70,000 `>` | Prosody, ejabberd | HostileTests/OversizedTests/longTexts
        P13 | own text of 60,000 `&` | Prosody, ejabberd | HostileTests/OversizedTests/longTexts
        P14 | other oddities of XML | Prosody, ejabberd | HostileTests/PoisonTests/message HostileTests/DifferentialTests/servers
        """

    /// Q: end-to-end encryption.
    static let encryption = """
        Q1 | device list in the name of another account | contact | ExtensionsTests/OMEMODevicesTests/forged ExtensionsTests/OMEMODevicesTests/wrongAnswer
        Q2 | device list with 10,000 devices | contact | ExtensionsTests/OMEMODevicesTests/manyDevices OMEMOTests/ElementTests/tooManyDevices
        Q3 | encrypted message repeated | own server | ChatEngineTests/EncryptionTests/replay
        Q4 | encrypted message under the name of another account | own server | ChatEngineTests/EncryptionTests/swappedSender
        Q5 | message from a device that its account does not announce | contact's server | ChatEngineTests/EncryptionTests/unannounced ChatEngineTests/KeyOwnerTests/unknownList
        Q6 | encrypted elements removed, a clear text added | own server | ChatEngineTests/KeyOwnerTests/strippedElements ChatEngineTests/StrangerTests/clear
        Q7 | announcement of the newer generation hidden | own server | ChatEngineTests/EncryptionTests/downgrade
        Q8 | element of the newer generation removed | own server | ChatEngineTests/EncryptionTests/droppedElement
        Q9 | own keys made unreadable for others | own server | ExtensionsTests/AnnouncingTests/repair
        Q10 | other key under the same device number, during a conversation | contact's server | ChatEngineTests/EncryptionTests/changedKey
        Q11 | link of an encrypted file to another host, or to another content | contact | ChatEngineTests/EncryptedFileTests/attack ChatEngineTests/EncryptedFileTests/strangeHost
        Q12 | giant and negative counters | contact | ChatEngineTests/EncryptionTests/counters OMEMOTests/MessageCodecTests/counters OMEMOTests/SessionTests/giantCount
        Q13 | envelope with another sender, or without one | contact | ChatEngineTests/EncryptionTests/forgedEnvelope ChatEngineTests/KeyOwnerTests/envelopeWithoutSender
        Q14 | envelope with another time | own server | ChatEngineTests/KeyOwnerTests/time
        Q15 | key of somebody else announced as one's own | contact | ChatEngineTests/EncryptionTests/copiedKey ChatEngineTests/KeyOwnerTests/copiedKey ChatEngineTests/KeyOwnerTests/keyTakenFirst
        Q16 | 5,000 keys for one device in a message | contact | ChatEngineTests/StrangerTests/manyKeys OMEMOTests/ElementTests/tooManyKeys
        Q17 | a new device number with each message | contact | ChatEngineTests/StrangerTests/sessions
        Q18 | bundle with a wrong signature, or of another device | contact's server | ExtensionsTests/OMEMODevicesTests/wrongBundles ExtensionsTests/OMEMODevicesTests/otherBundle OMEMOTests/ElementTests/forged
        Q19 | request to stop encrypting, by a device that is not trusted | contact's server | ChatEngineTests/OptOutTests/untrusted
        Q20 | account of an occupant claimed by another archive | contact | ChatEngineTests/KeyOwnerTests/archivedAddress
        """
}
