package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import io.github.vertxrdma.provider.ffi.Memory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/** Parsers of keys and addresses that peers tell, before anything of them reaches the library. */
class ParsersTest implements ParserContract {
  /** FI_ADDR_EFA of fabric.h, and any other whose bytes only the library knows. */
  private static final int EFA = 12;
  private static final int[] FORMATS = {Fi.SOCKADDR_IN, Fi.SOCKADDR_IN6, Fi.ADDR_STR, EFA};
  /** Bytes that an input has for those that name the table of this process. */
  private static final byte[] OWN = "this process has".getBytes(StandardCharsets.US_ASCII);
  private static final int OWN_AT = 8;

  private static HostKeys published;
  private static byte[] own;
  private static RemoteKeys ofHost;
  private static RemoteKeys ofWire;

  @BeforeAll
  static void open() {
    Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "native access is for Linux");
    published = new HostKeys();
    own = published.publish(1, 4096, EnumSet.of(Access.REMOTE_READ));
    ofHost = new RemoteKeys(null, null, 0, Long.BYTES, published);
    ofWire = new RemoteKeys(null, null, 0, Long.BYTES, null);
  }

  @AfterAll
  static void close() {
    if (published != null) {
      published.close();
    }
  }

  @Override
  public List<Parser> parsers() {
    return List.of(
      new Parser("fabric-address", ProviderException.class, ParsersTest::address),
      new Parser("fabric-key", ProviderException.class, ParsersTest::key, 4));
  }

  /** Whether the fabric is shared memory (1 byte), address (8), length (8), and the key. */
  private static void key(byte[] bytes) {
    ByteBuffer token = ByteBuffer.wrap(Arrays.copyOf(bytes, Math.max(17, bytes.length)));
    RemoteKeys keys = (token.get() & 1) == 0 ? ofWire : ofHost;
    byte[] key = Arrays.copyOfRange(token.array(), 17, token.capacity());
    if (key.length >= OWN_AT + OWN.length && Arrays.equals(key, OWN_AT, OWN_AT + OWN.length, OWN, 0, OWN.length)) {
      System.arraycopy(own, OWN_AT, key, OWN_AT, OWN.length);
    }
    FabricRemoteMemory memory = keys.map(null, token.getLong(), token.getLong(), key);
    memory.permits(Operation.READ, 0, 8);
    memory.close();
  }

  /** The format that the fabric has (1 byte) and that of the address (1), and its bytes. */
  private static void address(byte[] bytes) {
    ByteBuffer input = ByteBuffer.wrap(Arrays.copyOf(bytes, Math.max(2, bytes.length)));
    int format = FORMATS[input.get() & 3];
    int of = input.get() & 3;
    byte[] rest = Arrays.copyOfRange(input.array(), 2, input.capacity());
    if (of == 0 && rest.length != 6 && rest.length != 18) {
      // Refused where the address enters.
      return;
    }
    EndpointAddress address = EndpointAddress.of(of == 0 ? EndpointAddress.INET : of == 1 ? EndpointAddress.STRING : "fi" + FORMATS[of], rest);
    SharedMemoryNames.isGone(address);
    SharedMemoryNames.gave(address);
    byte[] sent = AddressFormats.toNative(format, address);
    long at = Memory.allocate(Math.max(1, sent.length));
    try {
      Memory.putBytes(at, sent);
      AddressFormats.fromNative(format, at, sent.length).toString();
    } finally {
      Memory.free(at);
    }
  }
}
