internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What the place for writing needs of the rest of the program.
struct WritingPlace {
    let composer: Composer
    /// Where files are kept until they are sent; without it there are none.
    let media: MediaCache?
    /// Where recordings grow; `nil` where none can be made.
    let recordings: String?
    /// Records in another way than from the microphone into ``recordings``.
    var voice: VoiceComposer?
    /// Whom a message can mention: the nicknames of a room.
    var nicknames: () -> [String] = { [] }
    /// Tells the person something in a sentence.
    var say: (String) -> Void = { _ in }
    /// The window over which others open.
    var window: () -> Window? = { nil }
}
