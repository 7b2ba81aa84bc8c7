package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(VerbsInUserSpace.class)
@ParameterizedClass(name = "{0}")
@MethodSource("personalities")
class VerbsRemoteMemoryTest extends RemoteMemoryContract {
  @Parameter
  private String name;

  static List<String> personalities() {
    return Nic.personalities();
  }

  @Override
  String fabric() {
    return VerbsInUserSpace.PREFIX + name;
  }
}
