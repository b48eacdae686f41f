// The guard of unity-snippet, for opencode. Written by: unity-cli client install opencode --guard
// It asks the running server of the Unity project about each change of a script. Whatever fails
// here, or takes longer than five seconds, counts as "nothing to say".
import { spawn } from "node:child_process"

const TOOLS = ["edit", "write", "multiedit", "apply_patch", "patch", "bash"]

function ask(event) {
  return new Promise((resolve) => {
    let said = ""
    const program = process.platform === "win32" ? "unity-cli.exe" : "unity-cli"
    const hook = spawn(program, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    const end = (answer) => {
      clearTimeout(late)
      resolve(answer)
    }
    const late = setTimeout(() => {
      hook.kill()
      end({})
    }, 5000)
    hook.on("error", () => end({}))
    hook.stdin.on("error", () => {})
    hook.stdout.setEncoding("utf8")
    hook.stdout.on("data", (part) => (said += part))
    hook.on("close", () => {
      try {
        end(JSON.parse(said))
      } catch {
        end({})
      }
    })
    hook.stdin.end(JSON.stringify(event))
  }).catch(() => ({}))
}

export const UnitySnippetGuard = async ({ directory }) => {
  const given = new Map() // the arguments of calls that run now
  const event = (name, input, args) => ({
    hook_event_name: name,
    session_id: input.sessionID,
    tool_use_id: input.callID,
    cwd: directory,
    tool_name: input.tool,
    tool_input: args,
  })
  return {
    "tool.execute.before": async (input, output) => {
      if (!TOOLS.includes(input.tool)) return
      if (given.size > 1000) given.clear()
      given.set(input.callID, output.args)
      const answer = await ask(event("tool.execute.before", input, output.args))
      if (typeof answer?.refuse === "string") throw new Error(answer.refuse)
    },
    "tool.execute.after": async (input, output) => {
      if (!TOOLS.includes(input.tool)) return
      const args = given.get(input.callID) ?? {}
      given.delete(input.callID)
      const answer = await ask(event("tool.execute.after", input, args))
      if (typeof answer?.tell === "string") output.output = `${output.output ?? ""}\n${answer.tell}`
    },
  }
}
