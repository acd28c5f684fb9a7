import Hongyan
import SampleMedia

/// The picture that the goose sends: itself, on water, in pixels.
enum GoosePicture {
    private static let goose = [
        "          kkk             ",
        "         kkkkk            ",
        "         kwkkkoo          ",
        "         kwwkkooo         ",
        "          kkkk            ",
        "          kkk             ",
        "          kkk             ",
        "          kkk         bb  ",
        "          kkkk      bbbb  ",
        "          kkkbbbbbbbbbbw  ",
        "         wwwbbddbbddbbbww ",
        "         wwbbbbddbbddbbbw ",
        "         wwwbbbbbbbbbbbww ",
        "          wwwwbbbbbbbwww  ",
        "           wwwwwwwwwwww   ",
        "             wwwwwwww     ",
    ]

    /// The file; `number` moves goose and sun a little, so that no two pictures are the same.
    static func file(number: Int) -> OutgoingFile {
        var canvas = PixelCanvas(width: 320, height: 240, background: .init(0xBF, 0xE3, 0xF7))
        canvas.fill(x: 0, y: 176, width: 320, height: 64, .init(0x3B, 0x7E, 0xA8))
        let sun = 20 + number * 37 % 250
        canvas.fill(x: sun, y: 20, width: 36, height: 36, .init(0xFF, 0xD1, 0x4A))
        for wave in 0..<9 {
            canvas.fill(
                x: (wave * 71 + number * 13) % 300, y: 188 + wave * 5, width: 34, height: 2, .init(0x8F, 0xC4, 0xDD))
        }
        canvas.draw(
            goose, scale: 8, x: 40 + number * 11 % 60, y: 60,
            [
                "k": .init(0x22, 0x22, 0x26), "w": .init(0xF7, 0xF3, 0xE8), "o": .init(0xE8, 0x82, 0x1E),
                "b": .init(0x8A, 0x6F, 0x54), "d": .init(0x5E, 0x49, 0x36),
            ])
        return OutgoingFile(
            kind: .picture, name: "goose-\(number).png", mediaType: "image/png", content: canvas.png,
            width: canvas.width, height: canvas.height)
    }
}
