package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"io"
)

// key encrypts one box: AES-256 in counter mode from 0, which is safe because a key is used once.
type key [32]byte

// newKey is from the operating system. Reading the reader itself gives an error where rand.Read would end the program.
func newKey() (key, error) {
	var k key
	_, err := io.ReadFull(rand.Reader, k[:])
	return k, err
}

// token is a random name.
func token() string {
	k, err := newKey()
	if err != nil {
		return "00000000000000000000000000000000" // names only: files are opened so that none is overwritten
	}
	return hex.EncodeToString(k[:16])
}

func (k key) stream() cipher.Stream {
	block, err := aes.NewCipher(k[:])
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	return cipher.NewCTR(block, make([]byte, aes.BlockSize))
}

// boxHead is the length of the content, eight bytes, and its SHA-256; both are encrypted with it.
const boxHead = 8 + sha256.Size

// writeBox encrypts content at the offset.
func (k key) writeBox(f File, content []byte, at int64) error {
	s := k.stream()
	sum := sha256.Sum256(content)
	head := append(binary.BigEndian.AppendUint64(nil, uint64(len(content))), sum[:]...)
	buffer := make([]byte, min(chunk, boxHead+len(content)))
	n := copy(buffer, head)
	for {
		m := copy(buffer[n:], content)
		content, n = content[m:], n+m
		s.XORKeyStream(buffer[:n], buffer[:n])
		if _, err := f.WriteAt(buffer[:n], at); err != nil {
			return err
		}
		if at, n = at+int64(n), 0; len(content) == 0 {
			return nil
		}
	}
}

// readBox decrypts what writeBox wrote; ok is false if it is not whole, or of another key.
func (k key) readBox(f File, at, end int64) (content []byte, ok bool) {
	s := k.stream()
	head := make([]byte, boxHead)
	if _, err := f.ReadAt(head, at); err != nil {
		return nil, false
	}
	s.XORKeyStream(head, head)
	length := binary.BigEndian.Uint64(head)
	if at += boxHead; length > uint64(max(end-at, 0)) {
		return nil, false
	}
	content = make([]byte, length)
	if n, _ := f.ReadAt(content, at); n < len(content) {
		return nil, false
	}
	s.XORKeyStream(content, content)
	sum := sha256.Sum256(content)
	return content, subtle.ConstantTimeCompare(sum[:], head[8:]) == 1
}
