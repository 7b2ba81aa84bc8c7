package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class DiscoveryTest {
  private static final String DENIED = "failing: native access is denied to this process — start Java with"
    + " --enable-native-access=ALL-UNNAMED (on the module path: --enable-native-access=io.github.vertxrdma.provider.ffi)";

  private static final class Denied {
    static final int VALUE = fail();

    private static int fail() {
      throw new IllegalCallerException("native access");
    }
  }

  private static String reason(Provider provider) {
    Discovery found = Discovery.by(provider, new DiscoveryOptions());
    assertEquals(List.of(), found.devices());
    return found.unavailable().getFirst().toString();
  }

  private static Provider failing(Runnable failure) {
    return new Provider() {
      @Override
      public String name() {
        return "failing";
      }

      @Override
      public Discovery discover(DiscoveryOptions options) {
        failure.run();
        return new Discovery(List.of(), List.of());
      }
    };
  }

  private static Provider throwing(Error error) {
    return failing(() -> {
      throw error;
    });
  }

  @Test
  void reasonIsDeniedNativeAccessWhenAnIllegalCallerIsTheCause() {
    assertEquals(DENIED, reason(failing(() -> {
      throw new IllegalCallerException("native access");
    })));
    assertEquals(DENIED, reason(throwing(new LinkageError("Calls", new IllegalCallerException("native access")))));
  }

  @Test
  void reasonIsDeniedNativeAccessWhenAClassFailedToInitializeEarlier() {
    Provider provider = failing(() -> System.out.println(Denied.VALUE));
    assertEquals(DENIED, reason(provider), "ExceptionInInitializerError");
    assertEquals(DENIED, reason(provider), "NoClassDefFoundError without the exception");
  }

  @Test
  void reasonIsTheErrorWhenTheProviderCannotBeLinkedForAnotherCause() {
    assertEquals("failing: cannot load the provider: java.lang.NoClassDefFoundError: a/B",
      reason(throwing(new NoClassDefFoundError("a/B"))));
    assertEquals("failing: cannot load the provider: java.lang.ExceptionInInitializerError",
      reason(throwing(new ExceptionInInitializerError(new IllegalStateException("broken")))));
    assertEquals("cannot use failing: cannot load the provider: java.lang.UnsatisfiedLinkError: f.",
      Discovery.by(throwing(new UnsatisfiedLinkError("f")), new DiscoveryOptions()).notice());
  }
}
