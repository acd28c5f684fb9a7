/// Completes the short name of an emoji that the user types, such as `:smi`.
///
///     let completion = EmojiCompletion(in: "Yes :smi", at: end)
///     completion?.candidates                // [("smile", "😄"), ("smiley", "😃"), …]
///     EmojiCompletion.finished(in: "Yes :smile:", at: end)   // the range of `:smile:`, and "😄"
///
/// The names are those that chat programs have in common.
public struct EmojiCompletion: Sendable, Hashable {
    public struct Candidate: Sendable, Hashable {
        public let name: String
        public let emoji: String
    }

    /// The range that an emoji replaces, from the colon on.
    public let range: Range<String.Index>
    /// The matching emoji: those that begin with the text first, then those that contain it.
    public let candidates: [Candidate]

    public static let candidateLimit = 8
    /// In characters: one letter after a colon is more often a face, such as `:D`.
    static let minimumLength = 2
    /// In characters: longer than every name.
    private static let maximumLength = 40

    /// `nil` if the cursor is not behind a colon and the beginning of a name.
    public init?(in text: String, at cursor: String.Index) {
        guard let start = Self.colon(in: text, before: cursor) else { return nil }
        let begun = text[text.index(after: start)..<cursor].lowercased()
        guard begun.count >= Self.minimumLength else { return nil }
        let prefixed = Self.all.filter { $0.name.hasPrefix(begun) }
        let others = Self.all.filter { !$0.name.hasPrefix(begun) && $0.name.contains(begun) }
        candidates = Array((prefixed + others).prefix(Self.candidateLimit))
        guard !candidates.isEmpty else { return nil }
        range = start..<cursor
    }

    /// The whole name between two colons before the cursor, and its emoji; `nil` if there is none.
    public static func finished(
        in text: String, at cursor: String.Index
    ) -> (range: Range<String.Index>, emoji: String)? {
        guard cursor > text.startIndex else { return nil }
        let end = text.index(before: cursor)
        guard text[end] == ":", let start = colon(in: text, before: end) else { return nil }
        let name = text[text.index(after: start)..<end].lowercased()
        return all.first { $0.name == name }.map { (start..<cursor, $0.emoji) }
    }

    /// The colon in front of the name before a position. It begins a word, so that `10:30` and addresses stay.
    private static func colon(in text: String, before position: String.Index) -> String.Index? {
        var start = position
        var length = 0
        while start > text.startIndex {
            start = text.index(before: start)
            let character = text[start]
            if character == ":" {
                let isFirst = start == text.startIndex || !isWord(text[text.index(before: start)])
                return isFirst ? start : nil
            }
            length += 1
            guard length <= maximumLength, character.isASCII, isWord(character) || "+-".contains(character) else {
                return nil
            }
        }
        return nil
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == ":" || character == "/"
    }

    static let all: [Candidate] = table.split(whereSeparator: \.isNewline).flatMap { line in
        let words = line.split(separator: " ")
        return stride(from: 0, to: words.count - 1, by: 2).map {
            Candidate(name: String(words[$0]), emoji: String(words[$0 + 1]))
        }
    }

    /// Names and emoji in turn; the more common of two with one beginning comes first.
    private static let table = """
        smile 😄 smiley 😃 grin 😁 grinning 😀 joy 😂 rofl 🤣 sweat_smile 😅 laughing 😆 wink 😉 blush 😊 innocent 😇
        slightly_smiling_face 🙂 upside_down_face 🙃 relaxed ☺️ heart_eyes 😍 smiling_face_with_three_hearts 🥰
        kissing_heart 😘 kissing 😗 yum 😋 stuck_out_tongue 😛 stuck_out_tongue_winking_eye 😜 zany_face 🤪
        hugs 🤗 thinking 🤔 shushing_face 🤫 zipper_mouth_face 🤐 raised_eyebrow 🤨 neutral_face 😐 expressionless 😑
        no_mouth 😶 smirk 😏 unamused 😒 roll_eyes 🙄 grimacing 😬 relieved 😌 pensive 😔 sleepy 😪 sleeping 😴
        mask 😷 nauseated_face 🤢 vomiting_face 🤮 sneezing_face 🤧 hot_face 🥵 cold_face 🥶 dizzy_face 😵
        exploding_head 🤯 cowboy_hat_face 🤠 partying_face 🥳 sunglasses 😎 nerd_face 🤓 confused 😕 worried 😟
        slightly_frowning_face 🙁 open_mouth 😮 hushed 😯 astonished 😲 flushed 😳 pleading_face 🥺 fearful 😨
        cold_sweat 😰 cry 😢 sob 😭 scream 😱 confounded 😖 persevere 😣 disappointed 😞 sweat 😓 weary 😩 tired_face 😫
        yawning_face 🥱 triumph 😤 rage 😡 angry 😠 smiling_imp 😈 imp 👿 skull 💀 poop 💩 clown_face 🤡 ghost 👻
        alien 👽 robot 🤖 smiley_cat 😺 joy_cat 😹 heart_eyes_cat 😻 see_no_evil 🙈 hear_no_evil 🙉 speak_no_evil 🙊
        kiss 💋 love_letter 💌 heart ❤️ orange_heart 🧡 yellow_heart 💛 green_heart 💚 blue_heart 💙 purple_heart 💜
        black_heart 🖤 white_heart 🤍 broken_heart 💔 two_hearts 💕 sparkling_heart 💖 heartpulse 💗 100 💯 boom 💥
        dizzy 💫 sweat_drops 💦 dash 💨 zzz 💤 wave 👋 raised_hand ✋ ok_hand 👌 v ✌️ crossed_fingers 🤞 metal 🤘
        call_me_hand 🤙 point_left 👈 point_right 👉 point_up ☝️ point_down 👇 thumbsup 👍 +1 👍 thumbsdown 👎 -1 👎
        fist ✊ punch 👊 clap 👏 raised_hands 🙌 open_hands 👐 handshake 🤝 pray 🙏 writing_hand ✍️ muscle 💪 ear 👂
        eyes 👀 brain 🧠 baby 👶 man 👨 woman 👩 shrug 🤷 facepalm 🤦 bow 🙇 dancer 💃 runner 🏃 family 👪
        dog 🐶 cat 🐱 mouse 🐭 rabbit 🐰 fox_face 🦊 bear 🐻 panda_face 🐼 tiger 🐯 lion 🦁 cow 🐮 pig 🐷 frog 🐸
        monkey 🐒 chicken 🐔 penguin 🐧 bird 🐦 swan 🦢 duck 🦆 owl 🦉 unicorn 🦄 bee 🐝 butterfly 🦋 snail 🐌
        turtle 🐢 snake 🐍 octopus 🐙 fish 🐟 dolphin 🐬 whale 🐳 bouquet 💐 rose 🌹 tulip 🌷 sunflower 🌻 blossom 🌼
        seedling 🌱 evergreen_tree 🌲 palm_tree 🌴 cactus 🌵 four_leaf_clover 🍀 maple_leaf 🍁 mushroom 🍄 apple 🍎
        pear 🍐 peach 🍑 cherries 🍒 strawberry 🍓 banana 🍌 lemon 🍋 watermelon 🍉 grapes 🍇 pineapple 🍍 tomato 🍅
        carrot 🥕 bread 🍞 cheese 🧀 egg 🥚 bacon 🥓 hamburger 🍔 fries 🍟 pizza 🍕 hotdog 🌭 sushi 🍣 rice 🍚 ramen 🍜
        dumpling 🥟 cookie 🍪 cake 🍰 birthday 🎂 chocolate_bar 🍫 candy 🍬 doughnut 🍩 icecream 🍦 coffee ☕ tea 🍵
        beer 🍺 beers 🍻 wine_glass 🍷 champagne 🍾 cocktail 🍸 earth_africa 🌍 mountain ⛰️ house 🏠 hospital 🏥 school 🏫
        car 🚗 bus 🚌 bike 🚲 train 🚆 airplane ✈️ rocket 🚀 boat ⛵ watch ⌚ hourglass ⌛ alarm_clock ⏰ sunny ☀️ cloud ☁️
        umbrella ☔ rainbow 🌈 snowflake ❄️ snowman ⛄ zap ⚡ fire 🔥 droplet 💧 ocean 🌊 moon 🌙 star ⭐ star2 🌟 sparkles ✨
        jack_o_lantern 🎃 christmas_tree 🎄 fireworks 🎆 balloon 🎈 tada 🎉 gift 🎁 ribbon 🎀 trophy 🏆 medal 🏅 soccer ⚽
        basketball 🏀 tennis 🎾 dart 🎯 video_game 🎮 game_die 🎲 art 🎨 musical_note 🎵 notes 🎶 microphone 🎤 headphones 🎧
        guitar 🎸 clapper 🎬 camera 📷 tv 📺 iphone 📱 phone ☎️ computer 💻 bulb 💡 book 📖 books 📚 newspaper 📰 bookmark 🔖
        moneybag 💰 envelope ✉️ email 📧 package 📦 pencil ✏️ memo 📝 calendar 📅 chart_with_upwards_trend 📈 pushpin 📌
        paperclip 📎 scissors ✂️ lock 🔒 unlock 🔓 key 🔑 hammer 🔨 wrench 🔧 gear ⚙️ link 🔗 bug 🐛 pill 💊 bell 🔔
        no_bell 🔕 warning ⚠️ no_entry ⛔ recycle ♻️ white_check_mark ✅ heavy_check_mark ✔️ x ❌ exclamation ❗ question ❓
        arrow_up ⬆️ arrow_right ➡️ arrow_down ⬇️ arrow_left ⬅️ checkered_flag 🏁 rainbow_flag 🏳️‍🌈
        """
}
