import Localization

/// The names and texts of samples: Chinese for Chinese screenshots, in the characters of the language, else unchanged.
///
/// - Parameter numbers: replace each `%@`.
func sampleWords(_ english: String, _ numbers: Int...) -> String {
    let text = sampleTranslations(to: Localization.language)[english] ?? english
    return numbers.reduce(text) { text, number in
        guard let place = text.firstRange(of: "%@") else { return text }
        return text.replacingCharacters(in: place, with: "\(number)")
    }
}

extension String {
    fileprivate func replacingCharacters(in place: Range<Index>, with text: String) -> String {
        self[..<place.lowerBound] + text + self[place.upperBound...]
    }
}

/// The samples in a language; none for those that keep the English ones.
func sampleTranslations(to language: String) -> [String: String] {
    switch language {
    case "zh_TW": traditionalSamples
    case _ where language.hasPrefix("zh"): simplifiedSamples
    default: [:]
    }
}

private let simplifiedSamples = [
    // Names.
    "Romeo": "罗密欧",
    "Romeo Montague": "罗密欧·蒙太古",
    "My Romeo": "我的罗密欧",
    "Juliet": "朱丽叶",
    "Jule": "朱丽叶",
    "Nurse": "奶妈",
    "Household": "家里",
    "Family": "家人",
    "Mercutio": "茂丘西奥",
    "Benvolio": "班伏里奥",
    "Benvolio with a rather long name that nobody would ever write down": "班伏里奥，名字长得谁也不会把它从头到尾写下来的那一位",
    "Tybalt": "提伯尔特",
    "Count Paris": "帕里斯伯爵",
    "Rosaline": "罗瑟琳",
    "Peter": "彼得",
    "Friar Laurence": "劳伦斯神父",
    "巴尔萨泽 Balthasar, servant to Romeo and bringer of bad news": "巴尔萨泽 Balthasar，罗密欧的仆人，总是他带来坏消息",
    "Wolfeschlegelsteinhausenbergerdorff": "沃尔夫施莱格尔施泰因豪森贝格多夫",
    "Friends": "朋友",
    "House": "家里",
    "Herbalist": "草药师",

    // Status texts.
    "Under the balcony": "在阳台下",
    "At the market": "在集市上",
    "at the feast": "在宴会上",
    "looking for Peter": "在找彼得",

    // Rooms.
    "orchard": "果园",
    "Orchard": "果园",
    "rchard": "园",
    "The Orchard": "果园",
    "Garden": "花园",
    "Feast": "宴会",
    "By yonder blessed moon I vow — meetings on Tuesdays after dark, at the wall.": "凭着这一轮皎洁的月亮起誓：每周二天黑以后，墙边相见。",
    "Roses by other names": "换了名字的玫瑰",
    "Roses by other names, Tuesdays after dark": "换了名字的玫瑰，每周二天黑以后",
    "Come in a mask, and bring the nurse.": "请戴上面具来，带上奶妈。",
    "Peace!": "安静！",

    // Messages.
    "But soft!": "轻声！",
    "Soft!": "轻声！",
    "What light?": "那是什么光？",
    "Soft! what light?": "轻声！那是什么光？",
    "What light through yonder window breaks?": "那边窗子里亮起来的是什么光？",
    "It is the east, and Juliet is the moon": "那就是东方，朱丽叶就是月亮",
    "It is the east, and Juliet is the sun": "那就是东方，朱丽叶就是太阳",
    "Arise, fair sun": "起来吧，美丽的太阳",
    "Ay me!": "唉！",
    "Wherefore art thou…\nRomeo?": "为什么你偏偏是……\n罗密欧呢？",
    "Hi @ro": "你好 @罗",
    "What's in a name? That which we call a rosa": "名字有什么关系呢？玫瑰就算叫作罗瑟",
    "rosa": "罗瑟",
    "A rose, number %@": "第 %@ 朵玫瑰",
    "rose": "玫瑰",
    "ROSE": "玫瑰",
    "Number %@": "第 %@ 条",
    "Long ago": "很久以前",
    "Good morrow": "早上好",
    "Good night!": "晚安！",
    "Good night, good night!": "晚安，晚安！",
    "Parting is such sweet sorrow": "离别是这样甜蜜的忧伤",
    "that I shall say good night": "我真想这样道着晚安",
    "till it be morrow.": "直到天明。",
    "Good night, good night! Parting is such sweet sorrow.": "晚安，晚安！离别是这样甜蜜的忧伤。",
    "I come, I come": "这就来，这就来",
    "I am coming": "这就来",
    "Wilt thou be gone?": "你这就要走了吗？",
    "Peace? I hate the word": "和平？我痛恨这两个字",
    "A plague": "真该遭殃",
    "o' both your houses!": "你们这两家人！",
    "Courage, man": "放宽心，老兄",
    "He jests at scars that never felt a wound.": "没受过伤的人，才会取笑别人身上的疤。",
    "We met at the feast.": "我们在宴会上见过。",
    "We met at the feast, and I would like to see you again.": "我们在宴会上见过，很想再见到你。",
    "Did you see the geese over the hills this evening?": "今天傍晚，你看见山那边的大雁了吗？",
    "They carry my letters to you.": "它们替我捎信给你。",
    "What a sky! 🌹": "多美的天空！🌹",
    "I shall be at the window at ten": "我十点在窗边等你",
    "I shall be at the window at nine.": "我九点在窗边等你。",
    "Bring the letter!": "把信带来！",
    "Who brings the torches?": "谁带火把来？",
    "Madam! Your mother calls.": "小姐！老夫人叫你。",
    "Wisely and slow; they stumble that run fast.": "凡事要慢，跑得快的人会跌倒。",
    "*bold* _slanted_ ~gone~ `code` <b>&amp;": "*粗体* _斜体_ ~删去~ `代码` <b>&amp;",
    "see https://example.org/?a=1&b=\"2\" or xmpp:romeo@montague.example":
        "请看 https://example.org/?a=1&b=\"2\" 或 xmpp:romeo@montague.example",
    "```\nlet rose = \"rose\"\n```\n> a quotation\nand a line": "```\nlet rose = \"玫瑰\"\n```\n> 一段引文\n和一行字",
    "/me climbs the wall": "/me 翻过了墙",
    "quoted ": "引用的话",
    "look": "看",
    "yes": "好",
    "never ": "绝不",
    "because ": "因为",

    // Files.
    "garden.bmp": "花园.bmp",
    "garden %@.bmp": "花园 %@.bmp",
    "letter.txt": "信.txt",
    "letters": "信件",
    "report ": "报告",
    "A letter to Friar Laurence.pdf": "给劳伦斯神父的信.pdf",
    "The feast of the Capulets.mp4": "凯普莱特家的宴会.mp4",
    "A list of everybody who is asked to come to the feast, with their servants.ods":
        "受邀参加宴会的所有宾客以及他们的仆人的完整名单，包括座位安排和接送时间.ods",

    // A registration form.
    "Choose a plan and prove that you are human.": "请选择套餐，并证明你是真人。",
    "Plan": "套餐",
    "Small": "小",
    "Large": "大",
    "I agree to the terms of use": "我同意使用条款",
    "E-mail": "电子邮箱",
    "The letters in the picture": "图片中的字母",
]
