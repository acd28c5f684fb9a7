/// Stanzas as a busy client receives them: chats, group chats, archive results, presence, pushes, IQs.
///
/// The mix is that of a session of a desktop client: a third chat messages, a sixth each archive results, group chat
/// and presence; about 600 bytes per stanza, some seven elements each, one in twenty bytes not ASCII.
///
/// The other mixes consist of one kind of traffic each, so that no measurement depends on this one alone.
public struct StanzaCorpus: Sendable {
    public enum Kind: Sendable, CaseIterable {
        case chat, marker, presence, rosterPush, archive, groupChat, event, carbon, request
        case shortChat, longChat, chineseChat, mixedScripts, reaction, inlineData

        /// Whether the stanza is a message with a body as a direct child.
        public var hasBody: Bool {
            switch self {
            case .chat, .groupChat, .shortChat, .longChat, .chineseChat, .mixedScripts: true
            default: false
            }
        }
    }

    /// A mix of kinds.
    public enum Mix: String, Sendable, CaseIterable {
        case day, short, long, chinese, scripts, rooms, presences, archive, requests, base64

        /// Frequencies in percent.
        var shares: [(Kind, Int)] {
            switch self {
            case .day:
                [
                    (.chat, 35), (.marker, 5), (.presence, 15), (.rosterPush, 3), (.archive, 17), (.groupChat, 15),
                    (.event, 4), (.carbon, 3), (.request, 3),
                ]
            case .short: [(.shortChat, 80), (.marker, 20)]
            // A third of the bytes is Chinese, with 14 references in a kilobyte.
            case .long: [(.longChat, 100)]
            case .chinese: [(.chineseChat, 100)]
            case .scripts: [(.mixedScripts, 100)]
            case .rooms: [(.groupChat, 50), (.reaction, 25), (.presence, 25)]
            case .presences: [(.presence, 100)]
            case .archive: [(.archive, 100)]
            case .requests: [(.request, 100)]
            case .base64: [(.inlineData, 100)]
            }
        }
    }

    public static let streamHeader =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        + "id='c2s-7c1d9a' from='capulet.example' version='1.0' xml:lang='en'>"

    private static let me = "juliet@capulet.example"
    private static let fullMe = me + "/balcony-7f3a"

    private let kinds: [Kind]
    private var random: SeededGenerator

    public init(_ mix: Mix = .day, seed: UInt64 = 20_240_607) {
        kinds = mix.shares.flatMap { Array(repeating: $0.0, count: $0.1) }
        random = SeededGenerator(seed: seed)
    }

    /// The next stanza.
    public mutating func next() -> (kind: Kind, xml: String) {
        let kind = random.pick(kinds)
        let xml =
            switch kind {
            case .chat: chat()
            case .marker: marker()
            case .presence: presence()
            case .rosterPush: rosterPush()
            case .archive: archive()
            case .groupChat: groupChat()
            case .event: event()
            case .carbon: carbon()
            case .request: request()
            case .shortChat: chat(body: shortText())
            case .longChat: chat(body: longText())
            case .chineseChat: chat(body: chineseLetter())
            case .mixedScripts: chat(body: mixedText())
            case .reaction: reaction()
            case .inlineData: inlineData()
            }
        return (kind, xml)
    }

    // MARK: Parts

    private static let words =
        """
        the quick meeting about release notes tomorrow please check whether server logs show any errors before lunch I \
        think we should ship it on friday and then refactor parser code so that stanza handling does not allocate too \
        much memory thanks for your help see you soon really great work everyone
        """.split(separator: " ").map(String.init)
    private static let chinese = Array(
        "你好今天的会议改到下午三点请大家准时参加代码已经提交麻烦帮忙看一下这个问题应该是网络超时导致的晚上一起吃饭吗我刚刚到家天气不错周末去爬山吧收到谢谢没问题马上处理服务器又重启了")
    private static let emoji = ["😀", "😂", "👍", "🎉", "❤️", "🚀", "🙏", "🤔", "👩‍💻", "🔥"]
    private static let names = [
        "romeo", "mercutio", "benvolio", "tybalt", "nurse", "lawrence", "rosaline", "paris", "peter", "sampson",
        "gregory", "abram", "zhang.wei", "li.na", "wang.fang", "chen_jie",
    ]
    private static let domains = [
        "montague.example", "verona.example", "capulet.example", "xmpp.example.net", "chat.example.org",
    ]
    private static let resources = ["phone.x7Gq", "laptop.WZ3PQ1", "desk.5c3fa1b2", "tablet-9f", "web-81", "orchard"]
    private static let nicknames = ["Romeo", "Mercutio", "老王", "小李子", "Nurse 👵", "benvolio", "TybaltCats", "张伟"]
    private static let features = [
        "http://jabber.org/protocol/caps", "http://jabber.org/protocol/disco#info", "urn:xmpp:receipts",
        "urn:xmpp:carbons:2", "urn:xmpp:ping", "jabber:iq:version", "urn:xmpp:jingle:1",
        "urn:xmpp:avatar:metadata+notify", "urn:xmpp:bookmarks:1+notify", "http://jabber.org/protocol/nick+notify",
    ]

    private mutating func bare() -> String { random.pick(Self.names) + "@" + random.pick(Self.domains) }
    private mutating func full() -> String { bare() + "/" + random.pick(Self.resources) }

    private mutating func identifier() -> String {
        let hex = Array(random.hex(32))
        return [hex[..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20...]].map { String($0) }
            .joined(separator: "-")
    }

    private mutating func base64(_ count: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return String((0..<count).map { _ in random.pick(alphabet) }) + "="
    }

    private mutating func time() -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (month, day) = (two(random.inRange(1...12)), two(random.inRange(1...28)))
        let (hour, minute) = (two(random.inRange(0...23)), two(random.inRange(0...59)))
        return "2026-\(month)-\(day)T\(hour):\(minute):\(two(random.inRange(0...59))).\(random.inRange(100...999))Z"
    }

    private mutating func english(_ count: Int) -> String {
        (0..<count).map { _ in random.pick(Self.words) }.joined(separator: " ")
    }

    private mutating func chineseText(_ count: Int) -> String {
        let start = random.below(Self.chinese.count)
        return String((0..<count).map { Self.chinese[(start + $0) % Self.chinese.count] })
    }

    private mutating func body() -> String {
        let language = random.below(100)
        var text =
            if language < 50 {
                english(random.inRange(4...32))
            } else if language < 85 {
                chineseText(random.inRange(6...48))
            } else {
                english(random.inRange(2...10)) + " " + chineseText(random.inRange(3...12))
            }
        if random.percent(30) {
            text += " " + (0..<random.inRange(1...3)).map { _ in random.pick(Self.emoji) }.joined()
        }
        if random.percent(8) {
            text += " https://example.org/issues?id=\(random.below(9999))&amp;sort=&lt;new&gt;&amp;q=\"x\""
        }
        if random.percent(4) { text = "I don't think \"a &lt; b &amp;&amp; b &gt; c\" holds; " + text }
        if random.percent(2) { text += "&apos;&quot;" }
        if random.percent(2) { text += "&#x4e2d;&#10;" }
        return text
    }

    private mutating func shortText() -> String {
        let text = english(random.inRange(1...5))
        return random.percent(20)
            ? text + random.pick([" &amp; more", " &lt;3", " &quot;ok&quot;", " &gt;&gt;"]) : text
    }

    private mutating func longText() -> String {
        (0..<random.inRange(20...40)).map { _ in
            english(random.inRange(8...12)) + random.pick([" &amp; ", " &lt;", "&gt; "])
                + chineseText(random.inRange(8...14)) + random.pick(["&quot;", "&apos;", "\n"])
        }.joined(separator: " ")
    }

    private mutating func chineseLetter() -> String {
        (0..<random.inRange(10...40)).map { _ in
            chineseText(random.inRange(12...30)) + random.pick(["，", "。", "！", "&quot;", "\n", "（", "）"])
        }.joined()
    }

    private static let scripts = [
        "مرحبا", "كيف", "حالك", "اليوم", "Привет", "как", "дела", "сегодня", "γειά", "σου", "שלום", "नमस्ते", "สวัสดี",
        "こんにちは",
        "안녕하세요", "tschüß", "naïve",
    ]

    private mutating func mixedText() -> String {
        (0..<random.inRange(10...80)).map { _ in
            random.percent(20) ? random.pick(Self.emoji) : random.pick(Self.scripts)
        }
        .joined(separator: " ")
    }

    private func hints(_ id: String) -> String {
        "<request xmlns='urn:xmpp:receipts'/><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/>"
            + "<markable xmlns='urn:xmpp:chat-markers:0'/><active xmlns='http://jabber.org/protocol/chatstates'/>"
    }

    // MARK: Stanzas

    private mutating func chat() -> String { chat(body: body()) }

    private mutating func chat(body: String) -> String {
        let id = identifier()
        return "<message from='\(full())' to='\(Self.fullMe)' type='chat' id='\(id)' "
            + "xml:lang='\(random.pick(["en", "zh", "de"]))'><body>\(body)</body>\(hints(id))"
            + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(Self.me)' id='\(random.hex(16))'/></message>"
    }

    private mutating func reaction() -> String {
        let room = random.pick(["gossip", "开发", "support"]) + "@conference." + random.pick(Self.domains)
        return "<message from='\(room)/\(random.pick(Self.nicknames))' to='\(Self.fullMe)' type='groupchat' "
            + "id='\(identifier())'><reactions xmlns='urn:xmpp:reactions:0' id='\(random.hex(16))'>"
            + (0..<random.inRange(1...3)).map { _ in "<reaction>\(random.pick(Self.emoji))</reaction>" }.joined()
            + "</reactions><stanza-id xmlns='urn:xmpp:sid:0' by='\(room)' id='\(random.hex(16))'/>"
            + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(base64(31))'/><store xmlns='urn:xmpp:hints'/></message>"
    }

    private mutating func inlineData() -> String {
        "<iq from='\(full())' to='\(Self.fullMe)' type='result' id='bob-\(random.hex(8))'>"
            + "<data xmlns='urn:xmpp:bob' cid='sha1+\(random.hex(40))@bob.xmpp.org' max-age='86400' type='image/png'>"
            + "\(base64(random.inRange(2000...8000)))</data></iq>"
    }

    private mutating func marker() -> String {
        let id = identifier()
        let other = identifier()
        let mark = random.pick([
            "<received xmlns='urn:xmpp:receipts' id='\(other)'/>",
            "<displayed xmlns='urn:xmpp:chat-markers:0' id='\(other)'/>",
            "<composing xmlns='http://jabber.org/protocol/chatstates'/><thread>\(other)</thread>",
        ])
        return "<message from='\(full())' to='\(Self.fullMe)' type='chat' id='\(id)'>\(mark)"
            + "<store xmlns='urn:xmpp:hints'/><no-copy xmlns='urn:xmpp:hints'/>"
            + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(Self.me)' id='\(random.hex(16))'/>"
            + "<origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/></message>"
    }

    private mutating func presence() -> String {
        let show = random.pick(["", "<show>away</show>", "<show>xa</show>", "<show>dnd</show>"])
        let status = random.percent(50) ? "<status>\(english(random.inRange(2...9)))</status>" : ""
        let idle = show.isEmpty ? "" : "<idle xmlns='urn:xmpp:idle:1' since='\(time())'/>"
        return "<presence from='\(full())' to='\(Self.fullMe)' id='\(identifier())'>\(show)\(status)"
            + "<priority>\(random.below(51))</priority><c xmlns='http://jabber.org/protocol/caps' hash='sha-1' "
            + "node='https://client.example' ver='\(base64(27))'/><x xmlns='vcard-temp:x:update'>"
            + "<photo>\(random.hex(40))</photo></x>\(idle)</presence>"
    }

    private mutating func rosterPush() -> String {
        "<iq from='\(Self.me)' to='\(Self.fullMe)' type='set' id='push-\(random.hex(16))'>"
            + "<query xmlns='jabber:iq:roster' ver='ver\(random.below(99_999))'><item jid='\(bare())' "
            + "name='\(random.pick(Self.nicknames))' subscription='\(random.pick(["both", "to", "from", "none"]))'>"
            + "<group>\(random.pick(["Friends", "工作", "Family"]))</group>"
            + "<group>\(random.pick(["Verona", "大学同学"]))</group></item></query></iq>"
    }

    private mutating func archive() -> String {
        let id = identifier()
        return "<message from='\(Self.me)' to='\(Self.fullMe)'><result xmlns='urn:xmpp:mam:2' "
            + "queryid='\(random.hex(8))' id='\(random.hex(16))'><forwarded xmlns='urn:xmpp:forward:0'>"
            + "<delay xmlns='urn:xmpp:delay' stamp='\(time())'/><message xmlns='jabber:client' from='\(full())' "
            + "to='\(Self.me)' type='chat' id='\(id)' xml:lang='en'><body>\(body())</body>"
            + "<origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/><request xmlns='urn:xmpp:receipts'/>"
            + "<markable xmlns='urn:xmpp:chat-markers:0'/></message></forwarded></result></message>"
    }

    private mutating func groupChat() -> String {
        let room = random.pick(["gossip", "开发", "support"]) + "@conference." + random.pick(Self.domains)
        let delay =
            random.percent(70) ? "<delay xmlns='urn:xmpp:delay' from='\(room)' stamp='\(time())'/>" : ""
        return "<message from='\(room)/\(random.pick(Self.nicknames))' to='\(Self.fullMe)' type='groupchat' "
            + "id='\(identifier())'><body>\(body())</body>"
            + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(room)' id='\(random.hex(16))'/>"
            + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(base64(31))'/>"
            + "<origin-id xmlns='urn:xmpp:sid:0' id='\(identifier())'/>"
            + "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='member' role='participant'/></x>"
            + "\(delay)</message>"
    }

    private mutating func event() -> String {
        let hash = random.hex(40)
        return "<message from='\(bare())' to='\(Self.fullMe)' type='headline' id='\(identifier())'>"
            + "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='urn:xmpp:avatar:metadata'>"
            + "<item id='\(hash)' publisher='\(full())'><metadata xmlns='urn:xmpp:avatar:metadata'>"
            + "<info bytes='\(random.inRange(2000...60_000))' height='192' id='\(hash)' type='image/png' "
            + "width='192'/></metadata></item></items></event>"
            + "<addresses xmlns='http://jabber.org/protocol/address'><address type='replyto' jid='\(full())'/>"
            + "</addresses></message>"
    }

    private mutating func carbon() -> String {
        let id = identifier()
        let direction = random.pick(["sent", "received"])
        return "<message from='\(Self.me)' to='\(Self.fullMe)' type='chat'><\(direction) xmlns='urn:xmpp:carbons:2'>"
            + "<forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='\(full())' to='\(full())' "
            + "type='chat' id='\(id)'><body>\(body())</body>\(hints(id))</message></forwarded></\(direction)></message>"
    }

    private mutating func request() -> String {
        let from = full()
        let start = "<iq from='\(from)' to='\(Self.fullMe)' type="
        switch random.below(4) {
        case 0...1:
            let listed = Self.features.shuffled(using: &random).prefix(random.inRange(4...8))
            return start + "'result' id='disco-\(random.hex(16))'><query xmlns='http://jabber.org/protocol/disco#info' "
                + "node='https://client.example#\(base64(27))'><identity category='client' type='pc' name='Client'/>"
                + listed.map { "<feature var='\($0)'/>" }.joined() + "</query></iq>"
        case 2: return start + "'get' id='ping-\(identifier())'><ping xmlns='urn:xmpp:ping'/></iq>"
        default:
            return start + "'error' id='err-\(identifier())'><query xmlns='jabber:iq:version'/>"
                + "<error type='cancel' by='\(from)'><service-unavailable "
                + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/><text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas' "
                + "xml:lang='en'>Service unavailable at this address</text></error></iq>"
        }
    }
}
