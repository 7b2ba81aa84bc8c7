package io.github.vertxrdma.simulator;

import io.github.vertxrdma.hostile.RawPeer;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.FrameService;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.link.OutOfBandEnd;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Domain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * A peer that sends frames of its choice. Most are valid but late, in any state. Some are not allowed in any state, or have impossible
 * fields. The application of the victim behaves as usual.
 */
final class Liar {
  private static final long MOVE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final byte[] NONE = {};
  private static final int MOVES = 60;
  private static final int MOST = 64 << 10;

  private final Conversation conversation;
  private final Node victim;
  private final RawPeer peer;
  private final SplittableRandom random;
  private final boolean exchanged;
  private final boolean connects;
  private final boolean floods;
  /** Whether it grants credits for messages only, makes its victim read and answer as much as possible, and does so to the end. */
  private final boolean stingy;
  private Link prey;
  private int moves;
  private boolean closed;
  private boolean closing;
  private int data;
  private int control = Grant.HANDSHAKE_CREDITS;
  private boolean greeted;
  private final ArrayDeque<Long> pieces = new ArrayDeque<>();
  private int questions;
  private int ends;
  private int slabs;
  private int size;
  private int offset;
  private boolean rendezvous;
  private int owedData;
  private int owedControl;

  Liar(Conversation conversation, Node victim, Domain domain, long seed) {
    this.conversation = conversation;
    this.victim = victim;
    this.random = new SplittableRandom(seed);
    exchanged = random.nextInt(3) == 0 && domain.capabilities().connectsBy(Capabilities.Connecting.EXCHANGE);
    connects = !exchanged || random.nextBoolean();
    floods = random.nextInt(4) == 0;
    stingy = !floods && seed % 6 == 0;
    peer = new RawPeer(domain, exchanged);
    if (exchanged) {
      meet();
    } else {
      peer.connect(victim.listener.localAddress(), new byte[] {9});
    }
    conversation.time.after(MOVE_NANOS, this::move);
  }

  private void meet() {
    victim.host.execute(() -> OutOfBandEnd.open(victim.loop, 2_000).onSuccess(end -> {
      if (closed || victim.dead) {
        return;
      }
      peer.connect(end.localAddress(), NONE);
      if (connects) {
        end.accept(peer.address(), victim.identity(), "liar", this::answer).onComplete(done -> {});
      } else {
        end.connect(peer.address(), victim.identity(), "liar", "accept", NONE, this::hunt).onComplete(done -> {});
      }
    }));
  }

  void answer(IncomingLink incoming) {
    switch (incoming.greeting().service()) {
      case "accept" -> hunt(incoming.accept(NONE));
      case "refuse" -> incoming.refuse("not for you");
      default -> victim.host.schedule(() -> hunt(incoming.accept(NONE)), random.nextInt(20), TimeUnit.MILLISECONDS);
    }
  }

  private Link hunt(Link link) {
    if (link != null) {
      prey = link;
      conversation.watch(victim, link, () -> 0);
      link.handler(new Prey());
      if (random.nextInt(3) > 0) {
        link.service(new Prey());
      }
    }
    return link;
  }

  private final class Prey implements MessageHandler, FrameService {
    @Override
    public void message(ByteBuf message) {
      message.release();
    }

    @Override
    public void frame(int type, int flags, long a, long b, MemorySegment memory, int length) {
    }

    @Override
    public void turnEnd() {
    }

    @Override
    public void closed(Throwable cause) {
    }
  }

  private void move() {
    if (closed) {
      return;
    }
    peer.poll();
    for (RawPeer.Received frame : peer.take()) {
      heard(frame);
    }
    if (peer.over() == null && (peer.accepted() != null || moves > 0)) {
      if ((moves++ < most() || stingy && greeted) && !victim.dead) {
        try {
          if (greeted && floods) {
            flood();
          } else if (greeted && stingy) {
            starve();
          } else {
            speak();
          }
        } catch (IllegalStateException e) {
          // Its endpoint has ended, and it has not been notified.
        }
        if (prey != null && !floods && !stingy && random.nextInt(3) == 0) {
          victim.host.execute(this::provoke);
        }
      }
    }
    conversation.time.after(moves < most() && peer.over() == null ? MOVE_NANOS : REST_NANOS, this::move);
  }

  private int most() {
    return floods || stingy ? 10 * MOVES : MOVES;
  }

  private void flood() {
    credits();
    if (slabs == 0) {
      control(Frame.RKEY, slabs++, MOST, key());
    } else if (data > 0 && slabs == 1) {
      slabs++;
      data--;
      peer.sendClaiming(Frame.RTS, 0, 100, Frame.piece(100, 0), 0, NONE);
    }
    for (; data > 0 && slabs > 1; data--) {
      send(Frame.DATA, 0, 0, 0, new byte[3_000]);
    }
  }

  private void starve() {
    owedControl = 0;
    credits();
    if (slabs == 0) {
      control(Frame.RKEY, slabs++, MOST, key());
    }
    for (; data > 0; data--) {
      peer.sendClaiming(Frame.RTS, 0, 100, Frame.piece(100, 0), 0, NONE);
    }
    for (; control > 1; control--) {
      send(Frame.PING, 0, 0, 0, NONE);
    }
    if (prey != null) {
      victim.host.execute(() -> prey.send(Unpooled.wrappedBuffer(new byte[1]), null));
    }
  }

  private void heard(RawPeer.Received frame) {
    data += frame.dataCredits();
    control += frame.controlCredits();
    switch (frame.type()) {
      case Frame.DATA -> owedData++;
      case Frame.RTS -> {
        owedData++;
        pieces.add(frame.b());
      }
      default -> owedControl++;
    }
    switch (frame.type()) {
      case Frame.WELCOME, Frame.HELLO -> {
        if ((frame.flags() & Frame.REFUSED) == 0) {
          Greeting greeting = Greeting.decode(frame.payload());
          data += greeting.dataCredits();
          control += greeting.controlCredits() - Grant.HANDSHAKE_CREDITS;
        }
      }
      case Frame.PING -> questions++;
      case Frame.END -> ends++;
      default -> {
      }
    }
  }

  private void provoke() {
    if (prey.isClosed()) {
      return;
    }
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> prey.send(Unpooled.wrappedBuffer(new byte[random.nextInt(30_000)]), null);
      case 3, 4 -> prey.send(Unpooled.wrappedBuffer(new byte[20_000]), null);
      case 5 -> prey.end((v, failure) -> {});
      case 6 -> prey.close((v, failure) -> {});
      case 7, 8 -> prey.suspect("it is a liar");
      case 9 -> prey.loop().endpoints.measureRoundTrips();
      default -> prey.pause(random.nextBoolean());
    }
  }

  private void speak() {
    if (!greeted) {
      begin();
      return;
    }
    if (closing) {
      live();
      return;
    }
    boolean honest = random.nextInt(12) > 0;
    switch (random.nextInt(17)) {
      case 0, 1 -> credits();
      case 2 -> control(Frame.PING, 0, 0, NONE);
      case 3 -> {
        if (questions > 0 || !honest) {
          questions--;
          control(Frame.PONG, 0, 0, NONE);
        }
      }
      case 4 -> control(Frame.WAKEABLE, 0, 0, NONE);
      case 5 -> {
        if (honest) {
          control(Frame.RKEY, slabs++, MOST, key());
        } else {
          control(Frame.RKEY, random.nextInt(3), random.nextBoolean() ? 0 : MOST, key());
        }
      }
      case 6 -> {
        if (slabs > 0 && size == 0) {
          control(Frame.RKEY, --slabs, 0, NONE);
        }
      }
      case 7, 8, 9 -> data(honest);
      case 10 -> {
        if (!honest || size == 0 && random.nextInt(3) == 0) {
          control(Frame.END, 0, 0, NONE);
        }
      }
      case 11 -> {
        if (ends > 0 || !honest) {
          ends--;
          control(Frame.END_ACK, 0, 0, NONE);
        }
      }
      case 12 -> {
        if (random.nextInt(3) == 0) {
          control(Frame.CLOSE, 0, 0, NONE);
          closing = true;
        }
      }
      case 13 -> {
        if (!honest) {
          control(Frame.CLOSE_ACK, 0, 0, NONE);
        }
      }
      case 14, 15 -> {
        Long piece = honest ? pieces.poll() : Long.valueOf(random.nextLong());
        if (piece != null) {
          control(Frame.ATS, 0, 0, name(piece));
        }
      }
      default -> {
        if (honest) {
          control(Frame.REGION_BASE + random.nextInt(Frame.REGION_TYPES), 0, 0, NONE);
        } else {
          control(random.nextInt(256), random.nextLong(), random.nextLong(), new byte[random.nextInt(100)]);
        }
      }
    }
  }

  /** Sends a frame that is still allowed when both sides know of the end. */
  private void live() {
    switch (random.nextInt(9)) {
      case 0 -> credits();
      case 1 -> control(Frame.PING, 0, 0, NONE);
      case 2 -> {
        if (questions-- > 0) {
          control(Frame.PONG, 0, 0, NONE);
        }
      }
      case 3 -> control(Frame.WAKEABLE, 0, 0, NONE);
      case 4 -> control(Frame.RKEY, slabs++, MOST, key());
      case 5, 6 -> {
        if (ends-- > 0) {
          control(Frame.END_ACK, 0, 0, NONE);
        }
      }
      case 7 -> {
        Long piece = pieces.poll();
        control(Frame.ATS, 0, 0, piece == null ? NONE : name(piece));
      }
      default -> control(Frame.REGION_BASE, 0, 0, NONE);
    }
  }

  private static byte[] name(long piece) {
    byte[] payload = new byte[8];
    Frame.putWord(MemorySegment.ofArray(payload), 0, piece);
    return payload;
  }

  private void begin() {
    if (random.nextInt(4) == 0) {
      credits();
    } else if (random.nextInt(20) == 0) {
      control(random.nextInt(20), 0, 0, NONE);
    } else if (!exchanged) {
      greet(Frame.HELLO);
    } else if (connects) {
      control(moves < 3 ? Frame.REQUEST : Frame.HELLO, 0, 0, moves < 3 ? Node.WORD : greeting());
      greeted = moves > 6;
    } else {
      if (random.nextInt(6) == 0) {
        send(Frame.WELCOME, Frame.REFUSED, 0, 0, "no".getBytes());
      }
      control(moves < 4 ? Frame.ACCEPT : Frame.WELCOME, 0, 0, moves < 4 ? Node.WORD : greeting());
      greeted = moves > 8;
    }
  }

  private void greet(int frame) {
    control(frame, 0, 0, greeting());
    greeted = true;
  }

  private byte[] greeting() {
    String service = switch (random.nextInt(6)) {
      case 0 -> "refuse";
      case 1 -> "later";
      default -> "accept";
    };
    return new Greeting(Node.WORD, "liar", 1, "", 0, service, 8192, 1 + random.nextInt(16), 4 + random.nextInt(12), MOST, NONE, NONE, "")
      .encode();
  }

  private void credits() {
    if (control > 0) {
      control--;
      peer.sendCredits(Frame.CREDIT, owedData, owedControl);
      owedData = 0;
      owedControl = 0;
    }
  }

  private void data(boolean honest) {
    if (data == 0) {
      return;
    }
    data--;
    if (!honest) {
      int slab = random.nextInt(3);
      send(random.nextBoolean() ? Frame.RTS : Frame.DATA, random.nextInt(3), Frame.piece(random.nextInt(MOST), random.nextInt(4) * 100),
        (long) slab << 48 | random.nextInt(2 * MOST), new byte[100]);
      return;
    }
    if (size == 0 && random.nextBoolean()) {
      send(Frame.DATA, 0, 0, 0, new byte[random.nextInt(50)]);
      return;
    }
    if (size == 0) {
      size = 300;
      offset = 0;
      rendezvous = slabs > 0 && random.nextBoolean();
    }
    if (rendezvous) {
      peer.sendClaiming(Frame.RTS, 0, 100, Frame.piece(size, offset), offset, NONE);
    } else {
      send(Frame.DATA, Frame.SEGMENT, Frame.piece(size, offset), 0, new byte[100]);
    }
    offset += 100;
    if (offset == size) {
      size = 0;
    }
  }

  private byte[] key() {
    byte[] key = peer.memory().remoteKey();
    byte[] payload = new byte[8 + key.length];
    Frame.putWord(MemorySegment.ofArray(payload), 0, peer.memory().remoteAddress());
    System.arraycopy(key, 0, payload, 8, key.length);
    return payload;
  }

  private void control(int type, long a, long b, byte[] payload) {
    if (control > 0 || random.nextInt(50) == 0) {
      control--;
      send(type, 0, a, b, payload);
    }
  }

  private void send(int type, int flags, long a, long b, byte[] payload) {
    peer.send(type, flags, a, b, payload);
  }

  boolean is(Node at) {
    return victim == at;
  }

  void close() {
    closed = true;
    peer.close();
  }
}
