package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * A handshake whose proof is a fixed word.
 *
 * @param nonce taken by the connector as handed out, 0 for none; the acceptor knows odd ones
 */
public record PlainHandshake(byte[] word, byte nonce) implements Handshake {

  public PlainHandshake(byte[] word) {
    this(word, (byte) 1);
  }

  @Override
  public Connecting connecting() {
    return new Connecting() {
      @Override
      public byte[] request() {
        return word;
      }

      @Override
      public EarlyRequest early(Supplier<byte[]> channel) {
        return nonce == 0 ? null : new EarlyRequest(withNonce(), word);
      }

      @Override
      public byte[] confirm(byte[] accept, byte[] channel) {
        return accept.length > word.length ? null : word;
      }
    };
  }

  private byte[] withNonce() {
    byte[] bytes = Arrays.copyOf(word, word.length + 1);
    bytes[word.length] = nonce;
    return bytes;
  }

  public byte[] greeting(byte[] request) {
    return request.length > word.length && request[word.length] % 2 != 0 ? Arrays.copyOfRange(request, word.length + 1, request.length)
      : null;
  }

  private boolean isProven(byte[] greeting) {
    try {
      return Arrays.equals(Greeting.decode(greeting).proof(), word);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Override
  public Accepting accepting(byte[] request, byte[] channel) {
    byte[] found = PlainHandshake.this.greeting(request);
    byte[] greeting = found != null && isProven(found) ? found : null;
    return new Accepting() {
      @Override
      public byte[] accept() {
        return greeting != null ? withNonce() : word;
      }

      @Override
      public byte[] greeting() {
        return greeting;
      }

      @Override
      public void verify(byte[] proof, String nodeId, long epoch) {
        if (!Arrays.equals(proof, word)) {
          throw new RdmaException(Reason.NOT_AUTHENTIC, nodeId + " does not know the word");
        }
      }
    };
  }
}
