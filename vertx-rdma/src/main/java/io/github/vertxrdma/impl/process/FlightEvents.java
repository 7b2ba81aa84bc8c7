package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import jdk.jfr.FlightRecorder;

/**
 * Events of Flight Recorder. Their classes are loaded with the first recording, which takes a tenth of a second of CPU time. Thread-safe.
 */
public final class FlightEvents {
  private static final Attempt UNRECORDED = (what, device, cause) -> {
  };

  /** False in an image of jlink without Flight Recorder. */
  private static final boolean EXISTS = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  public interface Attempt {
    /** Ends the attempt. @param cause null if it succeeded */
    void ended(String what, String device, Throwable cause);
  }

  private FlightEvents() {
  }

  private static boolean recorded() {
    return EXISTS && FlightRecorder.isInitialized();
  }

  /** Registers memory and records it. Blocks. @throws RuntimeException as {@link Domain#register} */
  public static MemoryRegion register(Domain domain, MemorySegment memory, Set<Access> access) {
    return recorded() ? RegistrationEvent.register(domain, memory, access) : domain.register(memory, access);
  }

  public static Attempt connecting() {
    return recorded() ? ConnectEvent.start() : UNRECORDED;
  }

  /** @param cause null if the connection opened or was closed in order */
  public static void connection(String peer, String name, String device, boolean open, Throwable cause) {
    if (recorded()) {
      ConnectionEvent.record(peer, name, device, open, cause);
    }
  }

  /** Records a peer that was rejected, or did not finish its handshake. */
  public static void refusal(String why) {
    if (recorded()) {
      RefusalEvent.record(why);
    }
  }

  /** Records a connected node that ended or was lost. @param certain true if its process has ended */
  public static void nodeEnd(String node, String name, boolean orderly, boolean certain, String cause) {
    if (recorded()) {
      NodeEndEvent.record(node, name, orderly, certain, cause);
    }
  }

  /** Records a connection of the event bus or of a stream to a peer that used TCP. */
  public static void tcp(String node, String name, String address, String reason, String why) {
    if (recorded()) {
      TcpEvent.record(node, name, address, reason, why);
    }
  }

  /** Records a device that was busy for so long that a timer retries. */
  public static void retry(String device, long retries) {
    if (recorded()) {
      RetryEvent.record(device, retries);
    }
  }
}
