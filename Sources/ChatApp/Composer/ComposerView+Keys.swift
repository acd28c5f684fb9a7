internal import ChatStore
internal import GTKBinding

extension ComposerView {
    /// What a key means before the field gets it.
    func pressed(_ press: KeyPress) -> Bool {
        // The word that an input method composes is confirmed, changed and given up by the same keys.
        if entry.isComposing { return false }
        switch press.key {
        case .enter:
            guard !press.modifiers.contains(.shift) else { return false }
            if let name = mentions.choice { mention(name) } else { sendText() }
            return true
        case .tab:
            guard press.modifiers.isEmpty, let name = mentions.choice else { return false }
            mention(name)
            return true
        case .left, .right:
            guard press.modifiers == .alt, mentions.isOpen else { return false }
            mentions.move(press.key == .left ? -1 : 1)
            return true
        case .up:
            if mentions.isOpen {
                mentions.move(-1)
                return true
            }
            guard composer.text.isEmpty, composer.edit == nil, press.modifiers.isEmpty else { return false }
            attempt { [composer] () throws(StoreError) in _ = try await composer.correctLast() }
            return true
        case .down:
            guard mentions.isOpen else { return false }
            mentions.move(1)
            return true
        case .escape:
            if mentions.isOpen {
                mentions.show(nil)
                return true
            }
            guard composer.edit != nil || composer.reply != nil else { return false }
            cancelTarget()
            return true
        default: return false
        }
    }
}
