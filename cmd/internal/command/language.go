package command

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/language"
)

// helpWidth is where the lines of the help end. A full-width letter counts two.
const helpWidth = 100

// AddLanguage gives the program below root, whose texts are in l, the flag --lang.
func AddLanguage(root *cobra.Command, l cli.Language) {
	value := l
	root.PersistentFlags().Var(&value, "lang", l.Text("`LANGUAGE` of all that people read: ja or en "+
		"(default: that of LC_ALL, LC_MESSAGES or LANG, the first that is set)",
		"表示の言語 `LANGUAGE`：ja か en（既定：LC_ALL、LC_MESSAGES、LANG のうち最初に設定されているもの）"))
	root.PersistentFlags().Lookup("lang").DefValue = ""
	_ = root.RegisterFlagCompletionFunc("lang",
		cobra.FixedCompletions(cli.Languages, cobra.ShellCompDirectiveNoFileComp))
}

// Translate makes what cobra says by itself Japanese, if that is the language of the program. All commands
// are there by then.
func Translate(root *cobra.Command) {
	if LanguageOf(root) != cli.Japanese {
		return
	}
	root.SetUsageTemplate(japaneseFrame.Replace(root.UsageTemplate()))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	walk(root, func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		if text, ok := cobraTexts[c.Name()]; ok && c.Short != "" && isASCII(c.Short) {
			lines := append([]string{text}, commandLines.FindAllString(c.Long, -1)...)
			c.Short, c.Long = text, strings.Join(lines, "\n\n")
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if text, ok := cobraTexts["--"+f.Name]; ok && isASCII(f.Usage) {
				f.Usage = text
			}
		})
	})
}

// Spoken returns the language that a program is started in.
func Spoken(args []string) cli.Language { return cli.Language(language.Of(args)) }

// LanguageOf returns the language of a program, English if it has no flag --lang.
func LanguageOf(cmd *cobra.Command) cli.Language {
	if f := cmd.Root().PersistentFlags().Lookup("lang"); f != nil {
		return cli.Language(f.Value.String())
	}
	return cli.English
}

func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		walk(sub, visit)
	}
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// japaneseFrame makes a frame in Japanese of cobra's.
var japaneseFrame = strings.NewReplacer("Usage:", "使い方：", "Aliases:", "別名：", "Examples:", "例：",
	"Available Commands:", "コマンド：", "Additional Commands:", "その他のコマンド：", "Additional help topics:", "説明：",
	"Global Flags:", "共通のフラグ：", "Flags:", "フラグ：", " [command]\n", " コマンド\n", " [command]{{end}}", " コマンド{{end}}",
	`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
	`各コマンドの説明：{{.CommandPath}} コマンド --help`, ".FlagUsagesWrapped 100", " | japaneseFlags")

// cobraTexts are those of commands and flags that cobra adds by itself.
var cobraTexts = map[string]string{"help": "コマンドの説明の表示", "completion": "シェルの補完スクリプトの出力",
	"bash": "bash の補完スクリプトの出力", "zsh": "zsh の補完スクリプトの出力", "fish": "fish の補完スクリプトの出力",
	"powershell": "PowerShell の補完スクリプトの出力", "--help": "説明の表示", "--version": "版の表示",
	"--no-descriptions": "補完候補に説明を付けない"}

// commandLines are those of the help of completion that say how scripts are loaded.
var commandLines = regexp.MustCompile(`(?m)^(#### .*|\t.*)$`)

func init() { cobra.AddTemplateFunc("japaneseFlags", japaneseFlags) }

// FlagUsages returns the lines of the help about flags, not yet broken: pflag measures bytes.
func FlagUsages(l cli.Language, flags *pflag.FlagSet) string {
	text := flags.FlagUsages()
	if l == cli.Japanese {
		text = defaultText.ReplaceAllString(text, "（既定 $1）")
	}
	return text
}

var defaultText = regexp.MustCompile(`(?m) \(default (.*)\)$`)

// japaneseFlags is FlagUsages with lines that end in time.
func japaneseFlags(flags *pflag.FlagSet) string {
	column := 0
	text := FlagUsages(cli.Japanese, flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if _, usage := pflag.UnquoteUsage(f); column == 0 && !f.Hidden && usage != "" {
			before, _, _ := strings.Cut(text, usage)
			column = len(before) - (strings.LastIndexByte(before, '\n') + 1)
		}
	})
	var b strings.Builder
	for line := range strings.Lines(text) {
		names, usage := line[:column], strings.TrimSuffix(line[column:], "\n")
		lines := strings.ReplaceAll(cli.Wrap(usage, helpWidth-column), "\n", "\n"+strings.Repeat(" ", column))
		b.WriteString(names + lines + "\n")
	}
	return b.String()
}
