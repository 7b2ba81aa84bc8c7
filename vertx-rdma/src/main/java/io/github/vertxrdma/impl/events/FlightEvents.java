package io.github.vertxrdma.impl.events;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import jdk.jfr.FlightRecorder;

/**
 * Events of Flight Recorder. Their classes are loaded once there is a recording: the first of them has the JDK read what it knows of all
 * its own events, which takes a tenth of a second of a processor. Any thread.
 */
public final class FlightEvents {
  private static final Attempt UNRECORDED = (what, device, cause) -> {
  };

  /** An attempt to connect that is under way. */
  public interface Attempt {
    /** It is over. @param cause null if it is open */
    void over(String what, String device, Throwable cause);
  }

  private FlightEvents() {
  }

  private static boolean recorded() {
    return FlightRecorder.isInitialized();
  }

  /** Registers memory and tells of it. Blocks. @throws RuntimeException as {@link Domain#register} */
  public static MemoryRegion register(Domain domain, MemorySegment memory, Set<Access> access) {
    return recorded() ? RegistrationEvent.register(domain, memory, access) : domain.register(memory, access);
  }

  /** An attempt to connect begins. */
  public static Attempt connecting() {
    return recorded() ? ConnectEvent.start() : UNRECORDED;
  }

  /** A connection opened or is over. @param cause why it broke; null if it opened or was closed in order */
  public static void connection(String peer, String name, String device, boolean open, Throwable cause) {
    if (recorded()) {
      ConnectionEvent.tell(peer, name, device, open, cause);
    }
  }

  /** A peer was rejected, or did not finish its handshake. */
  public static void refusal(String why) {
    if (recorded()) {
      RefusalEvent.tell(why);
    }
  }

  /** A device was busy for so long that it is asked again by a timer. */
  public static void retry(String device, long retries) {
    if (recorded()) {
      RetryEvent.tell(device, retries);
    }
  }
}
