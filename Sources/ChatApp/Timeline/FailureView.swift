internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Why a message was not sent, below it, and the way to send it again.
final class FailureView {
    let root: Box
    var onRetry: () -> Void = {}
    let words = Label().wrap(maximumCharacters: 40).textAlignment(0).css("failure")
    let retry = Button(localized("Send again")).css("flat", "caption").align(horizontal: .end)

    init() {
        root = Box.vertical(spacing: 2, words, retry)
        retry.onClick { [weak self] in self?.onRetry() }
    }

    func show(_ reason: FailureReason) {
        root.isVisible = true
        words.text = Wording.state(.failed(reason))
        // What a server has refused it would refuse again.
        retry.isVisible = !reason.isFinal
    }
}
