/// What the goose says to a text: in Chinese to Chinese, else in English.
struct SmallTalk {
    private var turn = 0

    mutating func answer(to text: String) -> String {
        turn += 1
        let lowered = text.lowercased()
        let isChinese = Self.isChinese(text)
        let topics = isChinese ? Self.chineseTopics : Self.englishTopics
        for (words, answer) in topics where words.contains(where: { lowered.contains($0) }) { return answer }
        let answers = isChinese ? Self.chineseAnswers : Self.englishAnswers
        return answers[turn % answers.count]
    }

    static let greeting =
        "Honk! I am the goose. Write me something, or send a picture or a voice message: I answer in kind. 写中文也行。"

    /// The first line of a report.
    static let reportTitle = "Between you and me since the last report:"

    static func asksForReport(_ text: String) -> Bool { text.lowercased() == "report" }

    static func thanks(bytes: UInt64, inChinese: Bool) -> String {
        inChinese ? "收到文件：\(bytes) 字节。" : "I have received it: \(bytes) bytes."
    }

    static func apology(_ reason: String, inChinese: Bool) -> String {
        inChinese ? "这个文件我打不开：\(reason)" : "I could not open that one. \(reason)"
    }

    /// Whether the text is written in Chinese characters.
    static func isChinese(_ text: String) -> Bool {
        text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) || (0x3400...0x4DBF).contains($0.value) }
    }

    private static let englishTopics: [(words: [String], answer: String)] = [
        (
            ["help", "what can you"],
            "I answer texts, return a picture for a picture, and honk back at a voice message."
        ),
        (
            ["who are you", "your name"],
            "I am the goose that carries letters. In old China they tied them to our feet."
        ),
        (["how are you"], "Well fed and wind in my feathers, thank you. And you?"),
        (["picture", "photo"], "Send me a picture with /picture FILE and I send you one of mine."),
        (["voice", "sing", "honk"], "Send me a voice message with /voice and I honk back."),
        (["thank"], "With pleasure."),
        (["bye", "good night"], "Fly well! I stay on the pond."),
        (["hello", "hi ", "hi!", "hey", "good morning"], "Hello! A good day for flying."),
    ]
    private static let englishAnswers = [
        "Honk. Tell me more.", "I thought about that over the Yellow River once.",
        "Really? From above it looks different.", "I shall carry that in my heart, and this message in my beak.",
        "The reeds say so, too.",
    ]
    private static let chineseTopics: [(words: [String], answer: String)] = [
        (["帮助", "会什么"], "我会聊天；你发图片，我回图片；你发语音，我叫给你听。"),
        (["你是谁", "名字"], "我是鸿雁，古人把信系在我的脚上。"),
        (["图片", "照片"], "用 /picture 文件名 发一张图片，我也回你一张。"),
        (["语音", "唱"], "用 /voice 发一段语音，我叫给你听。"),
        (["谢"], "不客气。"),
        (["再见", "晚安"], "一路顺风！我在湖边等你。"),
        (["你好", "早上好", "嗨"], "你好！今天真适合飞行。"),
    ]
    private static let chineseAnswers = ["嘎，多说一点。", "我飞过黄河的时候也想过这件事。", "真的吗？从天上看不一样。", "我记在心里了。", "芦苇也这么说。"]
}
