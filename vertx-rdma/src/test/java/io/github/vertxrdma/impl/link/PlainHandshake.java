package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import java.util.Arrays;

/** A handshake whose proof is a fixed word. */
public record PlainHandshake(byte[] word) implements Handshake {

  @Override
  public Connecting connecting() {
    return new Connecting() {
      @Override
      public byte[] request() {
        return word;
      }

      @Override
      public byte[] confirm(byte[] accept, byte[] channel) {
        return word;
      }
    };
  }

  @Override
  public Accepting accepting(byte[] request, byte[] channel) {
    return new Accepting() {
      @Override
      public byte[] accept() {
        return word;
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
